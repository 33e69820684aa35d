/** Style sheet of pages, in light and in dark. */
import { Markup } from "./markup.js";

/** Each level of use has a background and a text colour with a contrast of at least 4.5. */
export const style = new Markup(`
:root {
  --paper: #ffffff; --ink: #1b1f24; --quiet: #57606a; --rule: #d0d7de; --panel: #f6f8fa; --focus: #0550ae;
  --u0: #eef4fb; --u0i: #1b1f24; --u1: #cfe3f5; --u1i: #1b1f24; --u2: #9fc7e8; --u2i: #10243a;
  --u3: #f6d27a; --u3i: #3a2a00; --u4: #e8893a; --u4i: #1f0e00; --u5: #b3261e; --u5i: #ffffff;
  --over: #5b0b6b; --overi: #ffffff; --bad: #a40e26; --line: #0550ae;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0d1117; --ink: #e6edf3; --quiet: #9da7b3; --rule: #30363d; --panel: #161b22; --focus: #79c0ff;
    --u0: #17222e; --u0i: #c9d6e4; --u1: #1f3a56; --u1i: #dbe9f7; --u2: #2c5f8f; --u2i: #ffffff;
    --u3: #b98a1c; --u3i: #140d00; --u4: #e07b2a; --u4i: #140700; --u5: #ff8177; --u5i: #2b0000;
    --over: #d9a7ff; --overi: #23003a; --bad: #ff7b72; --line: #79c0ff;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; }
main { max-width: 1500px; margin: 0 auto; padding: 1rem 1.25rem 4rem; }
h1 { font-size: 1.5rem; margin: 0.5rem 0 1rem; }
h2 { font-size: 1.15rem; margin: 2rem 0 0.5rem; }
h3 { font-size: 1rem; margin: 1rem 0 0.4rem; }
.facts { display: flex; flex-wrap: wrap; gap: 0.6rem; margin: 0; }
.facts div { background: var(--panel); border: 1px solid var(--rule); border-radius: 6px; padding: 0.4rem 0.7rem; }
.facts dt { color: var(--quiet); font-size: 0.8rem; }
.facts dd { margin: 0; font-weight: 600; font-variant-numeric: tabular-nums; }
.legend { color: var(--quiet); font-size: 0.85rem; }
.legend p { margin: 0.3rem 0; }
.legend b { color: var(--ink); }
.scale { display: flex; flex-wrap: wrap; align-items: center; gap: 2px; }
.scale > span:first-child { margin-right: 4px; }
.scale .cell { width: 38px; }
.scale .sample { margin-left: 1rem; }
.map { list-style: none; margin: 0.4rem 0 1rem; padding: 0; display: grid; gap: 4px;
  grid-template-columns: repeat(auto-fill, minmax(92px, 1fr)); }
.tile { position: relative; border: 1px solid var(--rule); border-radius: 5px; padding: 2px 3px 3px; background: var(--panel); min-width: 0; }
.tile.away { border-style: dashed; }
.head { display: flex; gap: 2px; align-items: center; }
.tile .name { flex: 1; font-size: 11px; line-height: 16px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; direction: rtl; text-align: left; }
.row { display: grid; grid-template-columns: repeat(3, 1fr); gap: 1px; margin-top: 1px; }
.cell { display: inline-block; text-align: center; font-size: 11px; line-height: 16px; border-radius: 2px; font-variant-numeric: tabular-nums; }
.u0 { background: var(--u0); color: var(--u0i); } .u1 { background: var(--u1); color: var(--u1i); }
.u2 { background: var(--u2); color: var(--u2i); } .u3 { background: var(--u3); color: var(--u3i); }
.u4 { background: var(--u4); color: var(--u4i); } .u5 { background: var(--u5); color: var(--u5i); }
.over { background: var(--over); color: var(--overi); } .none { color: var(--quiet); }
.badge { font-size: 10px; line-height: 13px; font-weight: 700; border-radius: 3px; padding: 0 3px; border: 1px solid currentColor; background: var(--paper); }
.badge.n1 { color: var(--bad); } .badge.off { color: var(--quiet); }
.tip { display: none; position: absolute; z-index: 2; left: 0; top: 100%; width: 260px; padding: 6px 8px; border-radius: 6px;
  background: var(--paper); border: 1px solid var(--quiet); font-size: 12px; box-shadow: 0 4px 14px rgb(0 0 0 / 25%); }
.tip span, .tip b { display: block; overflow-wrap: anywhere; }
.tile:hover .tip, .tile:focus .tip { display: block; }
.tile.end .tip { left: auto; right: 0; }
.tile:focus, .scroll:focus-visible, summary:focus-visible { outline: 3px solid var(--focus); outline-offset: 1px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.2rem 0.6rem; border-bottom: 1px solid var(--rule); font-weight: 400; }
thead th { font-weight: 600; vertical-align: bottom; }
.number { text-align: right; } .text { text-align: left; }
.bars .bar { width: 320px; padding-right: 0; } .bar svg { display: block; width: 100%; height: 12px; }
.fill { fill: var(--line); }
summary { cursor: pointer; color: var(--focus); margin: 0.5rem 0; width: max-content; }
.chart { width: 100%; max-width: 900px; height: auto; display: block; }
.chart .grid { stroke: var(--rule); } .chart .axis { fill: var(--quiet); font-size: 11px; }
.chart .line { fill: none; stroke: var(--line); stroke-width: 2; } .chart .dot { fill: var(--line); }
@media print { .tip { display: none !important; } }
`);
