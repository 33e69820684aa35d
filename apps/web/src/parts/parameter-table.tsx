/** Table of an object's parameters with their origin. */
import { Table } from "./table.js";

export type Parameters = Readonly<Record<string, unknown>>;

/** Lists the object's own values first, then inherited ones. */
export function ParameterTable(props: {
  readonly title: string;
  /** Kind of the object, such as `instance`. */
  readonly owner: string;
  readonly all: Parameters;
  readonly own: Parameters;
}) {
  const entries = Object.entries(props.all)
    .map(([name, value]) => ({ name, value, isOwn: name in props.own }))
    .toSorted((a, b) => Number(b.isOwn) - Number(a.isOwn));
  const count = entries.filter(({ isOwn }) => isOwn).length;
  return (
    <Table
      title={props.title}
      note={entries.length > 0 && <p>{count} of its own</p>}
      heads={["Parameter", "Value", "Set by"]}
      rows={entries.map(({ name, value, isOwn }) => [
        isOwn ? <strong>{name}</strong> : name,
        <code>{typeof value === "string" ? value || "–" : JSON.stringify(value)}</code>,
        isOwn ? `this ${props.owner}` : <span class="small">cluster or group</span>,
      ])}
    />
  );
}
