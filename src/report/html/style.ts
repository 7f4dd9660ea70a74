/** The style sheet of the report; it is part of the page, allowed by its hash. */
export const STYLE = `
:root { color-scheme: light; --ink: #1a1a1a; --faint: #5f5f5f; --line: #d9d9d9; --accent: #0072b2; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 24px; max-width: 1280px; color: var(--ink); background: #fff;
  font: 15px/1.5 Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif; }
h1 { font-size: 24px; line-height: 1.25; margin: 0 0 8px; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 32px 0 8px; }
.lead { margin: 0; padding: 12px 16px; border-left: 4px solid var(--accent); background: #f4f8fb; list-style: none; }
.lead li { margin: 2px 0; overflow-wrap: anywhere; }
.lead li:first-child { font-size: 17px; font-weight: bold; }
.wide { overflow-x: auto; }
tbody tr:hover { background: #f4f8fb; }
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
button, select { font: inherit; padding: 3px 10px; border: 1px solid #8a8a8a; border-radius: 4px; background: #fff; color: inherit; }
button:hover { background: #eef5fa; }
td button { padding: 0; border: 0; background: none; color: var(--accent); text-decoration: underline; cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
kbd { border: 1px solid var(--line); border-radius: 3px; padding: 0 4px; font: inherit; font-size: 13px; }
figure { margin: 12px 0 20px; }
figcaption { color: var(--faint); font-size: 13px; }
figcaption strong { color: var(--ink); font-size: 15px; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 4px; }
.scroll svg { display: block; }
.facts { display: flex; flex-wrap: wrap; gap: 2px 24px; margin: 6px 0 0; font-size: 13px; }
.facts div { display: flex; gap: 6px; }
.facts dt { color: var(--faint); }
.facts dd { margin: 0; font-variant-numeric: tabular-nums; }
.now { fill: none; stroke: #d55e00; stroke-width: 3; vector-effect: non-scaling-stroke; pointer-events: none; }
.details { position: sticky; bottom: 0; margin: 0; padding: 8px 12px; min-height: 40px; background: #fffbe6;
  border: 1px solid #e0d48a; border-radius: 4px; overflow-wrap: anywhere; }
.charts { display: flex; flex-wrap: wrap; gap: 16px; }
.charts svg, .charts figure { max-width: 100%; height: auto; }
.notes { color: var(--faint); font-size: 13px; }
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
