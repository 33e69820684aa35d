/** Page with a list of objects: search, filter, order, columns, and bulk actions. */
import type { ComponentChildren } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { type Address, linkTo, replaceArgs, useAddress } from "../address.js";
import { type Source, useCollection } from "../api/collection.js";
import { FilterHelp } from "./filter-help.js";
import { type Column, columnsArg, columnsIn, type ListKind } from "./list-kind.js";
import { useNarrow } from "./narrow.js";
import { Notice, PageHeading } from "./notice.js";
import { nextOrder, useOrdered } from "./order.js";
import { Rows } from "./rows.js";

/** Fields that every row has. */
interface Named {
  readonly uuid: string;
  readonly name: string;
}

/** Renderers of cells that are not plain text, by field. */
type CellViews<Row> = { readonly [Field in keyof Row]?: (row: Row) => ComponentChildren };

export function ObjectList<Row extends Named>(props: {
  readonly of: ListKind<Row>;
  readonly sourceOf: (filter: string) => Source<Row>;
  readonly cells?: CellViews<Row>;
  /** Shown if the cluster has no such object. */
  readonly none: ComponentChildren;
  /** Buttons for the selected rows; `onDone` clears the selection. */
  readonly actions?: (names: readonly string[], onDone: () => void) => ComponentChildren;
  /** Shown next to the title. */
  readonly children?: ComponentChildren;
}) {
  const { of, sourceOf, cells = {}, none, actions } = props;
  const address = useAddress();
  const filter = address.args.get("filter") ?? "";
  const search = (address.args.get("q") ?? "").toLowerCase();
  const order = address.args.get("order") ?? "name";
  const isNarrow = useNarrow();
  const shownColumns = columnsIn(of, address.args, isNarrow);
  const source = useMemo(() => sourceOf(filter), [of, filter]);
  const { rows, problem } = useCollection(`${of.path} ${filter}`, source);
  const sorted = useOrdered(rows, order);
  const shown = useMemo(
    () => (search === "" ? sorted : sorted.filter((row) => of.isFound(row, search))),
    [sorted, search],
  );
  const { acted, chosen, choose, chooseAll, clear } = useChoice(shown);
  return (
    <>
      <PageHeading title={of.title}>
        <p role="status">
          {rows === undefined
            ? problem === undefined && "loading …"
            : `${shown.length} of ${rows.size}`}
        </p>
        <span class="grow" />
        {props.children}
      </PageHeading>
      <Controls of={of} address={address} search={search} filter={filter} shown={shownColumns} />
      {problem && <Notice kind="error">{problem}</Notice>}
      {actions?.(acted, clear)}
      {rows?.size === 0 ? (
        <p class="card empty">
          {filter === "" ? (
            none
          ) : (
            <>
              No {of.noun} matches the filter. <a href={linkTo([of.path])}>Show all</a>
            </>
          )}
        </p>
      ) : (
        <Rows
          label={of.title}
          widths={widthsOf(shownColumns, isNarrow, actions !== undefined)}
          rows={shown}
          keyOf={({ uuid }) => uuid}
          head={
            <Head
              address={address}
              order={order}
              columns={shownColumns}
              isAll={acted.length > 0 && acted.length === shown.length}
              onAll={actions && chooseAll}
            />
          }
        >
          {(row) => (
            <Cells
              of={of}
              row={row}
              columns={shownColumns}
              views={cells}
              isChosen={chosen.has(row.uuid)}
              onChoose={actions && ((on) => choose([row.uuid], on))}
            />
          )}
        </Rows>
      )}
    </>
  );
}

function useChoice<Row extends Named>(shown: readonly Row[]) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  // Actions leave out rows that the search hides.
  const acted = useMemo(
    () =>
      chosen.size === 0 ? [] : shown.filter(({ uuid }) => chosen.has(uuid)).map(({ name }) => name),
    [shown, chosen],
  );
  const choose = (uuids: readonly string[], on: boolean) =>
    setChosen((old) => {
      const next = new Set(old);
      for (const uuid of uuids) on ? next.add(uuid) : next.delete(uuid);
      return next;
    });
  const chooseAll = (on: boolean) =>
    choose(
      shown.map(({ uuid }) => uuid),
      on,
    );
  return { acted, chosen, choose, chooseAll, clear: () => setChosen(new Set()) };
}

const widthsOf = <Row,>(
  shown: readonly Column<Row>[],
  isNarrow: boolean,
  isChosen: boolean,
): string =>
  shown.reduce(
    (widths, { width, narrowWidth = width }) => `${widths} ${isNarrow ? narrowWidth : width}`,
    isChosen ? "1.2rem" : "",
  );

function Controls<Row>(props: {
  readonly of: ListKind<Row>;
  readonly address: Address;
  readonly search: string;
  readonly filter: string;
  readonly shown: readonly Column<Row>[];
}) {
  const { of, address, search, filter, shown } = props;
  const help = useRef<HTMLDialogElement>(null);
  const apply = (event: Event) => {
    event.preventDefault();
    const text = new FormData(event.currentTarget as HTMLFormElement).get("filter");
    replaceArgs(address, { filter: String(text) });
  };
  return (
    <div class="controls">
      <input
        type="search"
        aria-label={`Search ${of.noun}s by ${of.searchedBy}`}
        placeholder={of.placeholder}
        value={search}
        onInput={(event) => replaceArgs(address, { q: event.currentTarget.value })}
      />
      <form onSubmit={apply} class="filter">
        <input
          name="filter"
          aria-label="Filter in Ganeti's query syntax"
          placeholder={`Filter: ${of.filterExample}`}
          // Not `value`: rendering after an event would reset the text that the user is typing.
          defaultValue={filter}
          key={filter}
          spellcheck={false}
        />
        <button type="submit">Filter</button>
        <button
          type="button"
          aria-label="Help on filters"
          onClick={() => help.current?.showModal()}
        >
          ?
        </button>
      </form>
      <ColumnChoice of={of} address={address} shown={shown} />
      <FilterHelp
        dialog={help}
        kind={of.kind}
        examples={of.examples}
        onTake={(text) => replaceArgs(address, { filter: text })}
      />
    </div>
  );
}

function ColumnChoice<Row>(props: {
  readonly of: ListKind<Row>;
  readonly address: Address;
  readonly shown: readonly Column<Row>[];
}) {
  const { of, address, shown } = props;
  const { columns } = of;
  const toggle = (field: string, on: boolean) => {
    const fields = columns.map((column) => column.field);
    const now = new Set<string>(shown.map((column) => column.field));
    if (on) now.add(field);
    else now.delete(field);
    replaceArgs(address, {
      columns: columnsArg(
        of,
        fields.filter((one) => now.has(one)),
      ),
    });
  };
  return (
    <details class="choice">
      <summary class="button">Columns</summary>
      <fieldset class="card">
        <legend>Columns</legend>
        {columns.slice(1).map(({ field, title }) => (
          <label class="check" key={field}>
            <input
              type="checkbox"
              checked={shown.some((column) => column.field === field)}
              onChange={(event) => toggle(field, event.currentTarget.checked)}
            />
            {title}
          </label>
        ))}
      </fieldset>
    </details>
  );
}

function Head<Row>(props: {
  readonly address: Address;
  readonly order: string;
  readonly columns: readonly Column<Row>[];
  readonly isAll: boolean;
  readonly onAll: ((on: boolean) => void) | undefined;
}) {
  const { address, order, isAll, onAll } = props;
  return (
    <>
      {onAll && (
        <span role="columnheader">
          <input
            type="checkbox"
            aria-label="Choose all that are shown"
            checked={isAll}
            onChange={(event) => onAll(event.currentTarget.checked)}
          />
        </span>
      )}
      {props.columns.map(({ field, title, isNumber }) => {
        const isBy = order.replace(/^-/, "") === field;
        const sorted = isBy ? (order.startsWith("-") ? "descending" : "ascending") : undefined;
        return (
          <span role="columnheader" class={isNumber ? "number" : ""} aria-sort={sorted} key={field}>
            <button
              type="button"
              class="plain"
              onClick={() => replaceArgs(address, { order: nextOrder(order, field) })}
            >
              {title}
              {sorted && (sorted === "ascending" ? " ↑" : " ↓")}
            </button>
          </span>
        );
      })}
    </>
  );
}

function Cells<Row extends Named>(props: {
  readonly of: ListKind<Row>;
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  readonly views: CellViews<Row>;
  readonly isChosen: boolean;
  readonly onChoose: ((on: boolean) => void) | undefined;
}) {
  const { of, row, views, isChosen, onChoose } = props;
  return (
    <>
      {onChoose && (
        <span role="cell">
          <input
            type="checkbox"
            aria-label={`Choose ${row.name}`}
            checked={isChosen}
            onChange={(event) => onChoose(event.currentTarget.checked)}
          />
        </span>
      )}
      {props.columns.map((column) => {
        const text = column.text(row);
        return (
          <span role="cell" class={column.isNumber ? "number" : ""} title={text} key={column.field}>
            {column.field === "name" ? (
              <a href={linkTo([of.path, row.name])}>{text}</a>
            ) : (
              (views[column.field]?.(row) ?? text)
            )}
          </span>
        );
      })}
    </>
  );
}
