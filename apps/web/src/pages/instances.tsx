/** All instances: search, filter, order, and start and stop of several at once. */
import { useMemo, useState } from "preact/hooks";
import { type Address, linkTo, replaceArgs, useAddress } from "../address.js";
import { filterOf } from "../api/filter.js";
import { useLive } from "../api/live.js";
import { query } from "../api/server.js";
import { type InstanceRow, instanceFields, type Me } from "../api/shapes.js";
import { Notice } from "../parts/notice.js";
import { Rows } from "../parts/rows.js";
import { Status } from "../parts/status.js";
import { sizeText } from "../words.js";
import { BulkActions } from "./bulk-actions.js";
import { nextOrder, ordered } from "./order.js";

const columns = [
  ["name", "Name", ""],
  ["status", "Status", ""],
  ["pnode", "Primary", "extra"],
  ["be/memory", "Memory", "number"],
  ["be/vcpus", "CPUs", "number extra"],
  ["disk_usage", "Disk", "number extra"],
  ["disk_template", "Template", "extra"],
  ["os", "System", "extra"],
] as const;

const read = async (filter: string) =>
  query<InstanceRow>("instance", instanceFields, await filterOf(filter));

export function InstancesPage({ me }: { readonly me: Me }) {
  const address = useAddress();
  const filter = address.args.get("filter") ?? "";
  const search = address.args.get("q") ?? "";
  const order = address.args.get("order") ?? "name";
  const { value, problem } = useLive(filter, ["config", "job"], () => read(filter));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const shown = useMemo(() => {
    const found = (value ?? []).filter(({ name }) => name.includes(search.toLowerCase()));
    return ordered(found, order);
  }, [value, search, order]);
  // What the search hides is not acted on.
  const acted = shown.filter(({ name }) => chosen.has(name)).map(({ name }) => name);
  const choose = (names: readonly string[], on: boolean) =>
    setChosen((old) => {
      const next = new Set(old);
      for (const name of names) on ? next.add(name) : next.delete(name);
      return next;
    });
  return (
    <>
      <div class="heading">
        <h1>Instances</h1>
        <p role="status">
          {value === undefined ? "loading …" : `${shown.length} of ${value.length}`}
        </p>
      </div>
      <Controls address={address} search={search} filter={filter} />
      {problem && <Notice kind="error">{problem}</Notice>}
      <BulkActions names={acted} me={me} onDone={() => setChosen(new Set())} />
      <Rows
        label="Instances"
        columns="of-instances"
        rows={shown}
        keyOf={({ name }) => name}
        head={
          <Head
            address={address}
            order={order}
            isAll={acted.length > 0 && acted.length === shown.length}
            onAll={(on) =>
              choose(
                shown.map(({ name }) => name),
                on,
              )
            }
          />
        }
      >
        {(row) => (
          <Cells
            row={row}
            isChosen={chosen.has(row.name)}
            onChoose={(on) => choose([row.name], on)}
          />
        )}
      </Rows>
    </>
  );
}

function Controls(props: {
  readonly address: Address;
  readonly search: string;
  readonly filter: string;
}) {
  const { address, search, filter } = props;
  const apply = (event: Event) => {
    event.preventDefault();
    const text = new FormData(event.currentTarget as HTMLFormElement).get("filter");
    replaceArgs(address, { filter: String(text) });
  };
  return (
    <div class="controls">
      <input
        type="search"
        aria-label="Search instances by name"
        placeholder="Search names ( / )"
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
      </form>
    </div>
  );
}

function Head(props: {
  readonly address: Address;
  readonly order: string;
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
      {columns.map(([field, title, kind]) => {
        const isBy = order.replace(/^-/, "") === field;
        const sorted = isBy ? (order.startsWith("-") ? "descending" : "ascending") : undefined;
        return (
          <span role="columnheader" class={kind} aria-sort={sorted}>
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
      <span role="cell">
        <a href={linkTo(["instances", row.name])} title={row.name}>
          {row.name}
        </a>
      </span>
      <span role="cell">
        <Status of={row.status} />
      </span>
      <span role="cell" class="extra">
        {row.pnode ?? "–"}
      </span>
      <span role="cell" class="number">
        {sizeText(row["be/memory"])}
      </span>
      <span role="cell" class="number extra">
        {row["be/vcpus"] ?? "–"}
      </span>
      <span role="cell" class="number extra">
        {sizeText(row.disk_usage)}
      </span>
      <span role="cell" class="extra">
        {row.disk_template ?? "–"}
      </span>
      <span role="cell" class="extra">
        {row.os ?? "–"}
      </span>
    </>
  );
}
