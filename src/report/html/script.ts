import { PICTURE_SCRIPT } from './script-picture.ts'

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
    for (const id of chosen.reverse()) {
      const figure = figures.find(one => one.dataset.id === id);
      if (figure) parent.prepend(figure);
    }
    mark(null);
    if (zoom !== 1) relabel();
  };

  /** What is pointed at: a figure's event, or text about something else; null for nothing. */
  const mark = (found, words) => {
    if (now) now.picture.highlight.remove();
    now = found;
    if (found) highlight(found);
    details.textContent = found ? describe(found) : words || hint;
  };

${PICTURE_SCRIPT}
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
      for (const label of all('.texts > text', svg)) label.setAttribute('x', Number(label.dataset.x) * zoom);
      stick(svg.parentNode);
    }
    document.getElementById('zoom').textContent = Math.round(zoom * 100) + ' %';
    relabel();
  };

  const relabel = () => {
    for (const figure of figures) if (!figure.hidden) label(figure);
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
    const picture = pictureOf(figure);
    const rows = picture.events;
    if (!now || now.figure !== figure) return rows.find(row => row.length > 0)?.[0];
    const { event } = now;
    const row = rows[event.rank];
    if (key === 'ArrowLeft') return row[row.indexOf(event) - 1];
    if (key === 'ArrowRight') return row[row.indexOf(event) + 1];
    const next = rows[event.rank + (key === 'ArrowUp' ? -1 : 1)];
    if (!next || next.length === 0) return undefined;
    return next.reduce((best, one) =>
      Math.abs(one.start - event.start) < Math.abs(best.start - event.start) ? one : best
    );
  };

  const bring = ({ picture, figure, event }) => {
    const scroll = figure.querySelector('.scroll');
    const { x, width } = placeOf(picture, event);
    const [left, right] = [x * zoom, (x + width) * zoom];
    if (left < scroll.scrollLeft) scroll.scrollLeft = left - 20;
    else if (right + picture.left > scroll.scrollLeft + scroll.clientWidth - 110)
      scroll.scrollLeft = right + picture.left - scroll.clientWidth + 130;
  };

  for (const figure of figures) {
    const scroll = figure.querySelector('.scroll');
    let waiting = false;
    scroll.addEventListener('scroll', () => {
      stick(scroll);
      if (waiting || zoom === 1) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        label(figure);
      });
    });
    scroll.addEventListener('pointermove', event => {
      const { found, words } = find(figure, event);
      if (found || words) mark(found || null, words);
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
      mark({ picture: pictureOf(figure), figure, event: found });
      bring(now);
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
