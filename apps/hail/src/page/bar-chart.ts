/** Bar chart of counts, with the numbers in a table. */
import { folded } from "./data-table.js";
import { html, type Markup } from "./markup.js";

export interface Bars {
  readonly kind: "bars";
  readonly title: string;
  /** Names of the counted things and of the count. */
  readonly thing: string;
  readonly value: string;
  readonly bars: readonly { readonly label: string; readonly value: number }[];
  /** Text shown if there are no bars. */
  readonly none: string;
}

/** Further bars are folded until the reader opens them. */
const barsShown = 100;

export function barChart({ title, thing, value, bars, none }: Bars): Markup {
  if (bars.length === 0) return html`<p>${none}</p>`;
  const most = bars.reduce((highest, bar) => Math.max(highest, bar.value), 1);
  const rows = bars.map(
    (
      bar,
    ) => html`<tr><th scope="row" class="text">${bar.label}</th><td class="number">${bar.value}</td><td class="bar" aria-hidden="true"><svg viewBox="0 0 100 10" preserveAspectRatio="none"><rect class="fill" width="${Math.round((bar.value / most) * 1000) / 10}" height="10"/></svg></td></tr>
`,
  );
  const chart = html`<div class="scroll" tabindex="0" role="region" aria-label="${title}">
<table class="bars">
<thead><tr><th scope="col" class="text">${thing}</th><th scope="col" class="number">${value}</th><td></td></tr></thead>
<tbody>
${rows}</tbody>
</table>
</div>
`;
  return bars.length > barsShown ? folded(`${bars.length} rows`, chart) : chart;
}
