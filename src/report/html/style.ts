import { CRITICAL, FAINT, GRID, IDLE, INK, MEMORY, PAPER, SERIES_COLOURS } from '../svg/palette.ts'

/** The style sheet of the report; it is part of the page, allowed by its hash. Pictures follow a dark page on screen. */
export const STYLE = `
:root { color-scheme: light dark; --paper: ${PAPER}; --ink: ${INK}; --faint: ${FAINT}; --line: ${GRID}; --accent: #0072b2;
  --tint: #f4f8fb; --edge: #8a8a8a; --hint: #fffbe6; --hint-edge: #e0d48a; }
@media screen and (prefers-color-scheme: dark) {
  :root { --paper: #17191c; --ink: #e6e6e6; --faint: #b0b0b0; --line: #3c4045; --accent: #6cc0f0;
    --tint: #1f2830; --edge: #8a8a8a; --hint: #2b2818; --hint-edge: #6b6130; }
  rect[fill="${PAPER}"] { fill: var(--paper); }
  rect[fill="${IDLE}"] { fill: #2a2d31; }
  [fill="${INK}"] { fill: var(--ink); }
  [fill="${FAINT}"] { fill: var(--faint); }
  [stroke="${GRID}"] { stroke: var(--line); }
  [stroke="${CRITICAL}"] { stroke: ${PAPER}; }
  .critical [stroke="${PAPER}"] { stroke: ${CRITICAL}; }
  .chart [fill="${CRITICAL}"] { fill: ${PAPER}; }
  [stroke="${INK}"] { stroke: var(--ink); }
  .chart [stroke="${SERIES_COLOURS[0]}"] { stroke: #3f9fdc; }
  .chart [fill="${SERIES_COLOURS[0]}"] { fill: #3f9fdc; }
  [fill="${MEMORY.fill}"] { fill: #2f4a5c; }
  [stroke="${MEMORY.stroke}"] { stroke: #8fb4cc; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 24px; max-width: 1280px; color: var(--ink); background: var(--paper);
  font: 15px/1.5 Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif; }
h1 { font-size: 24px; line-height: 1.25; margin: 0 0 8px; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 32px 0 8px; }
.lead { margin: 0; padding: 12px 16px; border-left: 4px solid var(--accent); background: var(--tint); list-style: none; }
.lead li { margin: 2px 0; overflow-wrap: anywhere; }
.lead li:first-child { font-size: 17px; font-weight: bold; }
.wide { overflow-x: auto; }
tbody tr:hover { background: var(--tint); }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--faint); padding: 4px 0; }
th, td { padding: 4px 12px; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top; }
th:first-child, td:first-child { text-align: left; }
thead th { border-bottom: 2px solid var(--ink); vertical-align: bottom; font-size: 13px; }
td, td button { white-space: nowrap; }
td.words, th.words { text-align: left; font-variant-numeric: normal; white-space: normal; }
td.short { white-space: nowrap; }
.marks { margin: 6px 0 0; padding: 0 12px; list-style: none; color: var(--faint); font-size: 13px; }
tr.best td { font-weight: bold; }
.wide + .wide { margin-top: 16px; }
.controls { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; margin: 8px 0; }
.controls label { display: inline-flex; gap: 6px; align-items: center; }
button, select { font: inherit; padding: 3px 10px; border: 1px solid var(--edge); border-radius: 4px; background: var(--paper); color: inherit; }
button:hover { background: var(--tint); }
td button { padding: 0; border: 0; background: none; color: var(--accent); text-decoration: underline; cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
kbd { border: 1px solid var(--line); border-radius: 3px; padding: 0 4px; font: inherit; font-size: 13px; }
figure { margin: 12px 0 20px; }
figcaption { color: var(--faint); font-size: 13px; }
figcaption strong { color: var(--ink); font-size: 15px; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 4px; }
.scroll svg { display: block; }
.facts { display: flex; flex-wrap: wrap; gap: 2px 24px; margin: 6px 0 8px; font-size: 13px; }
.facts div { display: flex; gap: 6px; }
.facts dt { color: var(--faint); }
.facts dd { margin: 0; font-variant-numeric: tabular-nums; }
.now { fill: none; stroke: #d55e00; stroke-width: 3; vector-effect: non-scaling-stroke; pointer-events: none; }
.details { position: sticky; bottom: 0; margin: 0; padding: 8px 12px; min-height: 40px; background: var(--hint);
  border: 1px solid var(--hint-edge); border-radius: 4px; overflow-wrap: anywhere; }
.charts { display: flex; flex-wrap: wrap; gap: 16px; }
.charts figure { max-width: 100%; min-width: 0; }
.notes { color: var(--faint); font-size: 13px; overflow-wrap: anywhere; }
[hidden] { display: none; }
@media print {
  body { padding: 0; max-width: none; font-size: 11px; }
  .controls, .details { display: none; }
  figure, tr { break-inside: avoid; }
  figure[hidden] { display: block; }
  .scroll { border: 0; overflow: visible; }
  .scroll svg, .charts svg { width: 100%; height: auto; }
  td button { color: inherit; text-decoration: none; }
  @page { size: landscape; margin: 12mm; }
}
`
