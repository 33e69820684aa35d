/** All instances: search, filter, order, columns, and changes of several at once. */
import { useMemo, useRef, useState } from "preact/hooks";
import { type Address, linkTo, replaceArgs, useAddress } from "../../address.js";
import { useCollection } from "../../api/collection.js";
import type { InstanceRow, Me } from "../../api/shapes.js";
import { instanceSource } from "../../api/sources.js";
import { Action, withoutRight } from "../../parts/action.js";
import { useNarrow } from "../../parts/narrow.js";
import { Notice } from "../../parts/notice.js";
import { Rows } from "../../parts/rows.js";
import { Status } from "../../parts/status.js";
import { Actions } from "./actions.js";
import { type Column, columns, columnsArg, columnsIn } from "./columns.js";
import { FilterHelp } from "./filter-help.js";
import { nextOrder, useOrdered } from "./order.js";

export function InstancesPage({ me }: { readonly me: Me }) {
  const address = useAddress();
  const filter = address.args.get("filter") ?? "";
  const search = (address.args.get("q") ?? "").toLowerCase();
  const order = address.args.get("order") ?? "name";
  const isNarrow = useNarrow();
  const shownColumns = columnsIn(address.args, isNarrow);
  const source = useMemo(() => instanceSource(filter), [filter]);
  const { rows, problem } = useCollection(filter, source);
  const sorted = useOrdered(rows, order);
  const shown = useMemo(
    () => (search === "" ? sorted : sorted.filter((row) => isFound(row, search))),
    [sorted, search],
  );
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  // Rows that the search hides is not acted on.
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
  return (
    <>
      <Heading me={me} shown={shown.length} all={rows?.size} isWaiting={problem === undefined} />
      <Controls address={address} search={search} filter={filter} shown={shownColumns} />
      {problem && <Notice kind="error">{problem}</Notice>}
      <Actions names={acted} me={me} onDone={() => setChosen(new Set())} />
      {rows?.size === 0 ? (
        <p class="card empty">
          {filter === "" ? "There are no instances yet." : "No instance matches the filter."}{" "}
          <a href={linkTo(filter === "" ? ["create"] : ["instances"])}>
            {filter === "" ? "Create one" : "Show all"}
          </a>
        </p>
      ) : (
        <Rows
          label="Instances"
          widths={widthsOf(shownColumns, isNarrow)}
          rows={shown}
          keyOf={({ uuid }) => uuid}
          head={
            <Head
              address={address}
              order={order}
              columns={shownColumns}
              isAll={acted.length > 0 && acted.length === shown.length}
              onAll={chooseAll}
            />
          }
        >
          {(row) => (
            <Cells
              row={row}
              columns={shownColumns}
              isChosen={chosen.has(row.uuid)}
              onChoose={(on) => choose([row.uuid], on)}
            />
          )}
        </Rows>
      )}
    </>
  );
}

function Heading(props: {
  readonly me: Me;
  readonly shown: number;
  /** Undefined while they are not known. */
  readonly all: number | undefined;
  readonly isWaiting: boolean;
}) {
  const { me, shown, all, isWaiting } = props;
  return (
    <div class="heading">
      <h1>Instances</h1>
      <p role="status">{all === undefined ? isWaiting && "loading …" : `${shown} of ${all}`}</p>
      <span class="grow" />
      <Action
        kind="strong"
        off={withoutRight(me)}
        onClick={() => {
          location.hash = linkTo(["create"]);
        }}
      >
        Create
      </Action>
    </div>
  );
}

const widthsOf = (shown: readonly Column[], isNarrow: boolean): string =>
  shown.reduce(
    (widths, { width, narrowWidth = width }) => `${widths} ${isNarrow ? narrowWidth : width}`,
    "1.2rem",
  );

/** By name, node, system or tag. */
const isFound = ({ name, pnode, os, tags }: InstanceRow, search: string): boolean =>
  name.toLowerCase().includes(search) ||
  (pnode?.includes(search) ?? false) ||
  (os?.includes(search) ?? false) ||
  (tags?.some((tag) => tag.toLowerCase().includes(search)) ?? false);

function Controls(props: {
  readonly address: Address;
  readonly search: string;
  readonly filter: string;
  readonly shown: readonly Column[];
}) {
  const { address, search, filter, shown } = props;
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
        aria-label="Search instances by name, node, system or tag"
        placeholder="Search names, nodes, tags ( / )"
        value={search}
        onInput={(event) => replaceArgs(address, { q: event.currentTarget.value })}
      />
      <form onSubmit={apply} class="filter">
        <input
          name="filter"
          aria-label="Filter in Ganeti's query syntax"
          placeholder={'Filter: be/memory > 2048 and not pnode =* "node1*"'}
          value={filter}
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
      <ColumnChoice address={address} shown={shown} />
      <FilterHelp dialog={help} onTake={(text) => replaceArgs(address, { filter: text })} />
    </div>
  );
}

function ColumnChoice(props: { readonly address: Address; readonly shown: readonly Column[] }) {
  const { address, shown } = props;
  const toggle = (field: string, on: boolean) => {
    const fields = columns.map((column) => column.field as string);
    const now = new Set(shown.map((column) => column.field as string));
    if (on) now.add(field);
    else now.delete(field);
    replaceArgs(address, { columns: columnsArg(fields.filter((one) => now.has(one))) });
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

function Head(props: {
  readonly address: Address;
  readonly order: string;
  readonly columns: readonly Column[];
  readonly isAll: boolean;
  readonly onAll: (on: boolean) => void;
}) {
  const { address, order, isAll, onAll } = props;
  return (
    <>
      <span role="columnheader">
        <input
          type="checkbox"
          aria-label="Choose all that are shown"
          checked={isAll}
          onChange={(event) => onAll(event.currentTarget.checked)}
        />
      </span>
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

function Cells(props: {
  readonly row: InstanceRow;
  readonly columns: readonly Column[];
  readonly isChosen: boolean;
  readonly onChoose: (on: boolean) => void;
}) {
  const { row, isChosen, onChoose } = props;
  return (
    <>
      <span role="cell">
        <input
          type="checkbox"
          aria-label={`Choose ${row.name}`}
          checked={isChosen}
          onChange={(event) => onChoose(event.currentTarget.checked)}
        />
      </span>
      {props.columns.map((column) => {
        const text = column.text(row);
        return (
          <span role="cell" class={column.isNumber ? "number" : ""} title={text} key={column.field}>
            {column.field === "name" ? (
              <a href={linkTo(["instances", row.name])}>{text}</a>
            ) : column.field === "status" ? (
              <Status of={row.status} />
            ) : (
              text
            )}
          </span>
        );
      })}
    </>
  );
}
