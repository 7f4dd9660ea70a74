/**
 * The part of the page's script that knows pictures: reads their events back (svg/compact-data.ts), says what an event is,
 * finds what is under the pointer, and labels what is in view. It shares the scope of `SCRIPT`, where `zoom` is.
 */
export const PICTURE_SCRIPT = `
  const SVG = 'http://www.w3.org/2000/svg';
  const KINDS = { F: 'forward', B: 'backward', I: 'backward, input part', W: 'backward, weight part',
    E: 'encoder forward', X: 'encoder backward' };
  const INK = { W: '#ffffff', X: '#ffffff' };
  const NAMES = { X: 'EB' };
  const pictures = new Map();

  /** A picture's data, read from its attributes when it is first needed. */
  const pictureOf = figure => {
    let picture = pictures.get(figure);
    if (picture) return picture;
    const svg = figure.querySelector('svg.gantt');
    const data = svg.dataset;
    const highlight = document.createElementNS(SVG, 'rect');
    highlight.setAttribute('class', 'now');
    picture = {
      svg, highlight, facts: JSON.parse(data.facts),
      plot: Number(data.plot), left: Number(data.left), top: Number(data.top), pitch: Number(data.pitch),
      row: Number(data.row), events: data.events.split('|').map(readEvents), idle: data.idle.split('|').map(readIdle)
    };
    pictures.set(figure, picture);
    return picture;
  };

  const number = text => parseInt(text, 36);

  const readEvents = (text, rank) => {
    const [stages, lengths] = [{}, {}];
    let end = 0;
    return [...text.matchAll(/([FBIWEX])([0-9a-z]+)(?:\\.([0-9a-z]+))?(?:,([0-9a-z]+))?(?::([0-9a-z]+))?(?:\\+(-?[0-9a-z]+))?(?:=([0-9a-z]+))?(!?)(~?)/g)].map(
      ([, kind, m, item, chunk, stage, gap, length, critical, half]) => {
        if (stage !== undefined) stages[kind] = number(stage);
        const at = kind === 'E' || kind === 'X' ? -1 : stages[kind];
        if (length !== undefined) lengths[kind + at] = number(length);
        const start = end + (gap === undefined ? 0 : number(gap));
        end = start + lengths[kind + at];
        const part = {};
        if (item !== undefined) part.item = number(item);
        if (chunk !== undefined) part.chunk = number(chunk);
        return { rank, kind, stage: at, microbatch: number(m), ...part, start, end, critical: !!critical, half: !!half };
      }
    );
  };

  const readIdle = text => {
    let end = 0;
    return [...text.matchAll(/([A-Z])([0-9a-z]+)(?:\\+(-?[0-9a-z]+))?/g)].map(([, cause, length, gap]) => {
      const start = end + (gap === undefined ? 0 : number(gap));
      end = start + number(length);
      return { start, end, cause: cause.charCodeAt(0) - 65 };
    });
  };

  /** A time in the largest unit in which it is at least 1. */
  const time = (ticks, facts) => {
    const size = { s: 1e9, ms: 1e6, us: 1e3, ns: 1 };
    const own = size[facts.unit];
    const value = ticks / facts.perUnit;
    const unit = own && ticks ? Object.keys(size).find(name => value * own >= size[name]) || 'ns' : facts.unit;
    return Number((own ? (value * own) / (size[unit] || own) : value).toPrecision(7)) + ' ' + unit;
  };

  /** Which encode of its microbatch, where there are several. */
  const part = ({ item, chunk }, before, between) =>
    (item === undefined ? '' : before + item) + (chunk === undefined ? '' : between + chunk);

  const describe = ({ picture: { facts }, event }) => {
    const region = facts.names[facts.regions[event.stage]];
    return [
      KINDS[event.kind] + ' of microbatch ' + event.microbatch + part(event, ', item ', ', chunk '),
      event.stage < 0 ? region : region + ' stage ' + event.stage,
      'rank ' + event.rank,
      time(event.start, facts) + ' to ' + time(event.end, facts) + ' (' + time(event.end - event.start, facts) + ')',
      ...(event.half ? ['overlapped'] : []),
      ...(event.critical ? ['on the critical path'] : [])
    ].join(' \\u00b7 ');
  };

  /** Where an event is drawn, before zoom. */
  const placeOf = (picture, event) => {
    const x = tick => (tick / picture.facts.horizon) * picture.plot;
    const partner = event.half && picture.events[event.rank].find(one => one.half && one.start === event.start);
    const height = event.half ? picture.row / 2 : picture.row;
    const top = picture.top + event.rank * picture.pitch + (partner && partner !== event ? height : 0);
    return { x: x(event.start), width: x(event.end) - x(event.start), y: top, height };
  };

  const highlight = ({ picture, event }) => {
    for (const [name, value] of Object.entries(placeOf(picture, event))) picture.highlight.setAttribute(name, value);
    picture.svg.querySelector('.scaled').append(picture.highlight);
  };

  /** What is under the pointer: an event, idle time, a bar beside the compute, or a memory strip. */
  const find = (figure, pointer) => {
    const picture = pictureOf(figure);
    const { facts, svg } = picture;
    const box = svg.getBoundingClientRect();
    const [x, y] = [pointer.clientX - box.left - picture.left, pointer.clientY - box.top - picture.top];
    const rank = Math.floor(y / picture.pitch);
    const tick = (x / zoom / picture.plot) * facts.horizon;
    const list = picture.events[rank];
    if (!list || tick < 0 || tick > facts.horizon) return {};
    const below = y - rank * picture.pitch;
    if (below > picture.row) {
      const strip = svg.querySelectorAll('.memory')[rank];
      return { words: strip && strip.querySelector('title').textContent };
    }
    const runs = list.filter(one => one.start <= tick && tick < one.end);
    const event = runs.length > 1 && below > picture.row / 2 ? runs[1] : runs[0];
    if (event) return { found: { picture, figure, event } };
    const idle = (picture.idle[rank] || []).find(one => one.start <= tick && tick < one.end);
    const span = one => time(one.start, facts) + ' to ' + time(one.end, facts);
    if (idle) return { words: 'idle \\u00b7 rank ' + rank + ' \\u00b7 ' + span(idle) + ' \\u00b7 ' + facts.causes[idle.cause] };
    const bar = facts.beside.find(one => one[0] === rank && one[3] <= tick && tick < one[4]);
    return { words: bar && bar[1] + ' of ' + bar[2] + ' \\u00b7 ' + time(bar[3], facts) + ' to ' + time(bar[4], facts) };
  };

  /** Labels of what is in view, as long as they fit. */
  const label = figure => {
    const picture = pictureOf(figure);
    const [scroll, group] = [figure.querySelector('.scroll'), picture.svg.querySelector('.labels')];
    const stages = group.dataset.stages === 'true';
    const scale = (zoom * picture.plot) / picture.facts.horizon;
    const [from, to] = [scroll.scrollLeft - 100 - picture.left, scroll.scrollLeft + scroll.clientWidth + 100];
    group.textContent = '';
    for (const event of picture.events.flat()) {
      const [start, end] = [event.start * scale, event.end * scale];
      if (end < from || start > to || end - start < 9) continue;
      const kind = (NAMES[event.kind] || event.kind) + event.microbatch + part(event, '.', ':');
      const words = [stages && event.stage >= 0 && event.stage + kind, kind, String(event.microbatch)];
      const fits = words.find(word => word && word.length * 6.8 + 2 <= end - start);
      if (!fits) continue;
      const text = document.createElementNS(SVG, 'text');
      const place = placeOf(picture, event);
      text.setAttribute('x', (start + end) / 2);
      text.setAttribute('y', place.y + place.height / 2 + 4);
      if (INK[event.kind]) text.setAttribute('fill', INK[event.kind]);
      text.textContent = fits;
      group.append(text);
    }
  };
`
