/** Grid with a cell for each address of a network; only the rows in view are in the page. */
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { useNarrow } from "../../parts/narrow.js";
import { useView } from "../../parts/use-view.js";
import { type AddressMap, textOfUse } from "./addresses.js";

/** Height of a row (px), as the style sheet has it. */
const rowHeight = 22;
/** Rows beyond each edge of the view. */
const margin = 6;

export function AddressGrid(props: {
  readonly map: AddressMap;
  readonly chosen: number | undefined;
  readonly onChoose: (index: number) => void;
}) {
  const { map, chosen, onChoose } = props;
  const perRow = useNarrow() ? 8 : 32;
  const { box, view } = useView(400);
  const focusNext = useRef(false);
  const rowCount = Math.ceil(map.size / perRow);
  const first = Math.max(0, Math.floor(view.top / rowHeight) - margin);
  const last = Math.min(rowCount, Math.ceil((view.top + view.height) / rowHeight) + margin);
  useEffect(() => {
    if (chosen === undefined) return;
    const element = box.current as HTMLDivElement;
    const top = Math.floor(chosen / perRow) * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    const below = top + rowHeight - element.clientHeight;
    if (below > element.scrollTop) element.scrollTop = below;
  }, [chosen, perRow]);
  useLayoutEffect(() => {
    if (!focusNext.current) return;
    const cell = box.current?.querySelector<HTMLElement>(`[data-index="${chosen}"]`);
    // The row may be rendered only with the next frame.
    if (cell === null || cell === undefined) return;
    focusNext.current = false;
    cell.focus({ preventScroll: true });
  });
  const follow = (event: KeyboardEvent) => {
    const at = chosen ?? first * perRow;
    const to = target(event, at, perRow, Math.max(1, Math.floor(view.height / rowHeight) - 1));
    if (to === undefined) return;
    event.preventDefault();
    focusNext.current = true;
    onChoose(Math.min(map.size - 1, Math.max(0, to)));
  };
  const stop = chosen ?? first * perRow;
  return (
    <div
      class="grid"
      role="grid"
      ref={box}
      aria-label="Map of addresses"
      aria-rowcount={rowCount}
      aria-colcount={perRow + 1}
      style={{ "--per-row": perRow }}
      onKeyDown={follow}
      onClick={({ target }) => {
        const index = (target as HTMLElement).dataset.index;
        if (index !== undefined) onChoose(Number(index));
      }}
    >
      <div class="space" role="rowgroup" style={{ height: `${rowCount * rowHeight}px` }}>
        {Array.from({ length: last - first }, (_, offset) => (
          <Row
            key={first + offset}
            map={map}
            row={first + offset}
            perRow={perRow}
            chosen={chosen}
            stop={stop}
          />
        ))}
      </div>
    </div>
  );
}

function Row(props: {
  readonly map: AddressMap;
  readonly row: number;
  readonly perRow: number;
  readonly chosen: number | undefined;
  /** Index of the cell that the Tab key reaches. */
  readonly stop: number;
}) {
  const { map, row, perRow } = props;
  const start = row * perRow;
  const inRow = (index: number | undefined) =>
    index !== undefined && index >= start && index < start + perRow ? index : undefined;
  const chosen = inRow(props.chosen);
  const stop = inRow(props.stop);
  // Memoised, so that scrolling costs only the rows that come into view.
  return useMemo(
    () => (
      <div role="row" class="cells" aria-rowindex={row + 1} style={{ top: `${row * rowHeight}px` }}>
        <span role="rowheader" class="cell-head">
          {map.at(start).ip}
        </span>
        {Array.from({ length: Math.min(perRow, map.size - start) }, (_, at) => {
          const index = start + at;
          const address = map.at(index);
          const text = `${address.ip}: ${textOfUse(address)}`;
          return (
            <span
              role="gridcell"
              class={`cell ${address.use}`}
              key={index}
              data-index={index}
              tabIndex={index === stop ? 0 : -1}
              aria-label={text}
              title={text}
              aria-selected={index === chosen}
            />
          );
        })}
      </div>
    ),
    [map, row, perRow, chosen, stop],
  );
}

/** The index that a key leads to; undefined for other keys. */
function target(
  { key, ctrlKey }: KeyboardEvent,
  at: number,
  perRow: number,
  page: number,
): number | undefined {
  const start = at - (at % perRow);
  switch (key) {
    case "ArrowLeft":
      return at - 1;
    case "ArrowRight":
      return at + 1;
    case "ArrowUp":
      return at - perRow;
    case "ArrowDown":
      return at + perRow;
    case "PageUp":
      return at - perRow * page;
    case "PageDown":
      return at + perRow * page;
    case "Home":
      return ctrlKey ? 0 : start;
    case "End":
      return ctrlKey ? Number.MAX_SAFE_INTEGER : start + perRow - 1;
    default:
      return undefined;
  }
}
