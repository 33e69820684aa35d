/** Line chart of a number along steps, with a table of all steps below it. */
import { formatFixed } from "@ganeti-ts/htools";
import { folded, tableMarkup } from "./data-table.js";
import { html, type Markup } from "./markup.js";

export interface Line {
  readonly kind: "line";
  readonly title: string;
  /** Name of the number. */
  readonly value: string;
  /** Name of a step. */
  readonly step: string;
  /** The first point is the start, step 0. `what` describes the step. */
  readonly points: readonly { readonly value: number; readonly what: string }[];
}

const width = 720;
const height = 240;
const left = 70;
const bottom = 34;
const top = 12;

export function lineChart(line: Line, id: string): Markup {
  const { points, value, step, title } = line;
  const table = folded(
    "The same as a table",
    tableMarkup({
      kind: "table",
      title,
      columns: [
        { header: step, numeric: true },
        { header: value, numeric: true },
        { header: "what", numeric: false },
      ],
      rows: points.map((point, i) => [String(i), formatFixed(point.value, 8), point.what]),
    }),
  );
  const finite = points.filter((point) => Number.isFinite(point.value));
  if (finite.length < 2 || finite.length < points.length) return table;
  return html`${drawing(line, id)}${table}`;
}

function drawing({ points, value, step }: Line, id: string): Markup {
  const values = points.map((point) => point.value);
  const highest = values.reduce((most, one) => Math.max(most, one), 0) || 1;
  const last = points.length - 1;
  const x = (i: number) => round(left + (i / last) * (width - left - 20));
  const y = (one: number) => round(height - bottom - (one / highest) * (height - bottom - top));
  const path = values.map((one, i) => `${i === 0 ? "M" : "L"}${x(i)} ${y(one)}`).join(" ");
  const summary = `${value} goes from ${formatFixed(values[0] as number, 8)} to ${formatFixed(values[last] as number, 8)} in ${last} ${step}s.`;
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => {
    const at = y(part * highest);
    return html`<line class="grid" x1="${left}" x2="${width - 20}" y1="${at}" y2="${at}"/><text class="axis" x="${left - 6}" y="${at}" text-anchor="end" dominant-baseline="middle">${tickText(part * highest, highest)}</text>\n`;
  });
  const marks = [...new Set([0, 0.25, 0.5, 0.75, 1].map((part) => Math.round(part * last)))].map(
    (i) =>
      html`<text class="axis" x="${x(i)}" y="${height - 14}" text-anchor="middle">${i}</text>\n`,
  );
  const dots =
    points.length > 60
      ? []
      : points.map(
          (point, i) =>
            html`<circle class="dot" cx="${x(i)}" cy="${y(point.value)}" r="3"><title>${i}: ${formatFixed(point.value, 8)} ${point.what}</title></circle>\n`,
        );
  return html`<p>${summary}</p>
<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-drawing">
<title id="${id}-drawing">${summary}</title>
${ticks}${marks}<text class="axis" x="${width - 20}" y="${height - 2}" text-anchor="end">${step}</text>
<path class="line" d="${path}"/>
${dots}</svg>
`;
}

const round = (coordinate: number): number => Math.round(coordinate * 10) / 10;

const tickText = (value: number, highest: number): string =>
  formatFixed(value, highest >= 100 ? 0 : highest >= 1 ? 2 : 4);
