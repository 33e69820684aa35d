/** Virtual list: only the rows in view are in the page. */
import type { ComponentChildren } from "preact";
import { useView } from "./use-view.js";

/** Height of a row (px), as the style sheet has it. */
const rowHeight = 40;
/** Rows beyond each edge of the view. */
const margin = 10;

export function Rows<Row>(props: {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** Widths, as `grid-template-columns` takes them. */
  readonly widths: string;
  readonly head: ComponentChildren;
  readonly children: (row: Row) => ComponentChildren;
}) {
  const { rows } = props;
  const { box, view } = useView(800);
  const first = Math.max(0, Math.floor(view.top / rowHeight) - margin);
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / rowHeight) + margin);
  return (
    <div
      class="rows"
      ref={box}
      role="table"
      aria-label={props.label}
      aria-rowcount={rows.length + 1}
      style={{ "--widths": props.widths }}
      tabIndex={0}
    >
      <div role="rowgroup" class="heads">
        <div class="row head" role="row" aria-rowindex={1}>
          {props.head}
        </div>
      </div>
      <div class="space" role="rowgroup" style={{ height: `${rows.length * rowHeight}px` }}>
        {rows.slice(first, last).map((row, at) => (
          <div
            class="row"
            role="row"
            aria-rowindex={first + at + 2}
            key={props.keyOf(row)}
            style={{ top: `${(first + at) * rowHeight}px` }}
          >
            {props.children(row)}
          </div>
        ))}
      </div>
    </div>
  );
}
