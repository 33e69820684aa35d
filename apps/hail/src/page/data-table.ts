/** A table of a page; long ones are folded. */
import { html, type Markup } from "./markup.js";

export interface DataTable {
  readonly kind: "table";
  readonly title: string;
  readonly columns: readonly Column[];
  /** A cell for each column; the first names the row. */
  readonly rows: readonly (readonly string[])[];
}

interface Column {
  readonly header: string;
  /** Numbers are aligned to the right. */
  readonly numeric: boolean;
}

/** Further rows are folded until the reader opens them. */
const rowsShown = 40;

export function dataTable(table: DataTable): Markup {
  if (table.rows.length <= rowsShown) return tableMarkup(table);
  return folded(`${table.rows.length} rows`, tableMarkup(table));
}

export const folded = (summary: string, content: Markup): Markup => html`<details>
<summary>${summary}</summary>
${content}</details>
`;

export function tableMarkup({ title, columns, rows }: DataTable): Markup {
  const kind = ({ numeric }: Column) => (numeric ? "number" : "text");
  const headers = columns.map(
    (column) => html`<th scope="col" class="${kind(column)}">${column.header}</th>`,
  );
  const body = rows.map((row) => {
    const cells = columns.map((column, i) =>
      i === 0
        ? html`<th scope="row" class="${kind(column)}">${row[i]}</th>`
        : html`<td class="${kind(column)}">${row[i]}</td>`,
    );
    return html`<tr>${cells}</tr>\n`;
  });
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${title}">
<table>
<thead><tr>${headers}</tr></thead>
<tbody>
${body}</tbody>
</table>
</div>
`;
}
