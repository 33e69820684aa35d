/** A list of any length, of which only the rows in view are in the page. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** Height of a row (px), as the style sheet has it. */
const rowHeight = 40;
/** Rows beyond each edge of the view. */
const margin = 10;

export function Rows<Row>(props: {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  readonly columns: string;
  readonly head: ComponentChildren;
  readonly children: (row: Row) => ComponentChildren;
}) {
  const { rows } = props;
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  useEffect(() => {
    const element = box.current as HTMLDivElement;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => observer.disconnect();
  }, []);
  const first = Math.max(0, Math.floor(view.top / rowHeight) - margin);
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / rowHeight) + margin);
  return (
    <div
      class={`rows ${props.columns}`}
      ref={box}
      role="table"
      aria-label={props.label}
      aria-rowcount={rows.length + 1}
      tabIndex={0}
    >
      <div class="row head" role="row" aria-rowindex={1}>
        {props.head}
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
