/**
 * What the report does in the browser: switch schedules, before against after, zoom, hover and keyboard details. It
 * adds to a page that already shows everything without it. Plain JavaScript as text, since it runs from the page alone,
 * allowed by its hash; it sends nothing, stores nothing and logs nothing.
 */
export const SCRIPT = `
'use strict';
(() => {
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const figures = all('figure.schedule');
  const [before, after] = [document.getElementById('before'), document.getElementById('after')];
  const details = document.getElementById('details');
  if (!details || !before || !after) return;
  const hint = details.textContent;
  let zoom = 1;
  let now = null;

  const show = () => {
    const chosen = [before.value, after.value];
    for (const figure of figures) {
      const role = chosen.indexOf(figure.dataset.id);
      figure.hidden = role < 0;
      figure.querySelector('.role').textContent =
        role < 0 || !before.value || chosen[0] === chosen[1] ? '' : ['Before: ', 'After: '][role];
    }
    const parent = figures[0].parentNode;
    for (const id of chosen) {
      const figure = figures.find(one => one.dataset.id === id);
      if (figure) parent.append(figure);
    }
    mark(null);
  };

  const mark = event => {
    if (now) now.classList.remove('now');
    now = event;
    if (event) event.classList.add('now');
    details.textContent = event ? event.querySelector('title').textContent : hint;
  };

  const stick = scroll => {
    const svg = scroll.querySelector('svg');
    const over = scroll.scrollWidth - scroll.clientWidth;
    svg.querySelector('.left').setAttribute('transform', 'translate(' + scroll.scrollLeft + ' 0)');
    svg.querySelector('.header').setAttribute('transform', 'translate(' + scroll.scrollLeft + ' 0)');
    svg.querySelector('.legend').setAttribute('transform', 'translate(' + scroll.scrollLeft + ' 0)');
    const plot = Number(svg.dataset.plot);
    const right = Math.max(0, over > 0 ? (zoom - 1) * plot - over + scroll.scrollLeft : (zoom - 1) * plot);
    svg.querySelector('.right').setAttribute('transform', 'translate(' + right + ' 0)');
  };

  const setZoom = value => {
    zoom = Math.min(64, Math.max(1, value));
    for (const svg of all('svg.gantt')) {
      const plot = Number(svg.dataset.plot);
      const [, , , height] = svg.getAttribute('viewBox').split(' ').map(Number);
      if (!svg.dataset.width) svg.dataset.width = svg.getAttribute('width');
      const width = Number(svg.dataset.width) + (zoom - 1) * plot;
      svg.setAttribute('viewBox', '0 0 ' + width + ' ' + height);
      svg.setAttribute('width', width);
      svg.querySelector('.paper').setAttribute('width', width);
      svg.querySelector('.scaled').setAttribute('transform', 'scale(' + zoom + ' 1)');
      for (const label of all('.texts text', svg)) {
        label.setAttribute('x', Number(label.dataset.x) * zoom);
        if (label.dataset.full === undefined) continue;
        const room = Number(label.dataset.room) * zoom - 2;
        const fits = [label.dataset.full, label.dataset.short, label.dataset.last].find(
          text => text && text.length * 6.8 <= room
        );
        label.textContent = fits || '';
      }
      stick(svg.parentNode);
    }
    document.getElementById('zoom').textContent = Math.round(zoom * 100) + ' %';
  };

  /** Zooms around what is in the middle of each picture. */
  const zoomBy = factor => {
    const kept = all('.scroll').map(scroll => [scroll, (scroll.scrollLeft + scroll.clientWidth / 2) / zoom]);
    setZoom(zoom * factor);
    for (const [scroll, middle] of kept) {
      scroll.scrollLeft = middle * zoom - scroll.clientWidth / 2;
      stick(scroll);
    }
  };

  const step = (figure, key) => {
    const rows = [];
    for (const event of all('.event', figure)) (rows[event.dataset.rank] ||= []).push(event);
    const row = now && figure.contains(now) ? Number(now.dataset.rank) : -1;
    if (row < 0) return rows.find(Boolean)?.[0];
    const index = rows[row].indexOf(now);
    if (key === 'ArrowLeft') return rows[row][index - 1];
    if (key === 'ArrowRight') return rows[row][index + 1];
    const next = rows[row + (key === 'ArrowUp' ? -1 : 1)];
    if (!next) return undefined;
    const start = Number(now.dataset.start);
    return next.reduce((best, event) =>
      Math.abs(event.dataset.start - start) < Math.abs(best.dataset.start - start) ? event : best
    );
  };

  const bring = event => {
    const scroll = event.closest('.scroll');
    const [box, view] = [event.getBoundingClientRect(), scroll.getBoundingClientRect()];
    const left = view.left + Number(scroll.querySelector('svg').dataset.left);
    if (box.left < left) scroll.scrollLeft += box.left - left - 20;
    else if (box.right > view.right - 110) scroll.scrollLeft += box.right - view.right + 130;
  };

  for (const figure of figures) {
    const scroll = figure.querySelector('.scroll');
    scroll.addEventListener('scroll', () => stick(scroll));
    scroll.addEventListener('pointerover', event => {
      const found = event.target.closest('.event, .idle, .memory, .beside');
      if (found) mark(found);
    });
    scroll.addEventListener('wheel', event => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoomBy(event.deltaY < 0 ? 1.25 : 0.8);
    }, { passive: false });
    scroll.addEventListener('keydown', event => {
      if (!event.key.startsWith('Arrow')) return;
      event.preventDefault();
      const found = step(figure, event.key);
      if (!found) return;
      mark(found);
      bring(found);
    });
  }

  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('select, input')) return;
    if (event.key === '+' || event.key === '=') zoomBy(1.5);
    else if (event.key === '-') zoomBy(1 / 1.5);
    else if (event.key === '0') setZoom(1);
    else if (event.key === 'x') { [before.value, after.value] = [after.value, before.value]; show(); }
    else if (event.key === 'Escape') mark(null);
  });
  document.getElementById('in').addEventListener('click', () => zoomBy(1.5));
  document.getElementById('out').addEventListener('click', () => zoomBy(1 / 1.5));
  document.getElementById('fit').addEventListener('click', () => setZoom(1));
  for (const select of [before, after]) select.addEventListener('change', show);
  for (const button of all('button[data-show]')) {
    button.addEventListener('click', () => {
      after.value = button.dataset.show;
      show();
      document.getElementById('schedules').scrollIntoView();
    });
  }
  let printed = 1;
  addEventListener('beforeprint', () => { printed = zoom; setZoom(1); });
  addEventListener('afterprint', () => setZoom(printed));
  for (const control of all('.controls')) control.hidden = false;
  details.hidden = false;
  show();
})();
`
