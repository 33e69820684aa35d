/** Sources of the lists that follow events: which rows an event changes, and how they are read. */
import type { Source } from "./collection.js";
import { filterOf } from "./filter.js";
import type { ConfigEvent, RowEvent } from "./live.js";
import { query } from "./server.js";
import { hasEnded, type InstanceRow, instanceFields, type JobRow, jobFields } from "./shapes.js";

/** A filter for rows whose field has one of these values. */
export const anyOf = (field: string, values: readonly unknown[]): unknown[] => [
  "|",
  ...values.map((value) => ["==", field, value]),
];

/** Kinds of objects whose changes may affect any instance: inherited parameters, a node that is offline. */
const inherited: ReadonlySet<string> = new Set(["cluster", "group", "node"]);

/** Names of the instances in a job's summary, such as `INSTANCE_STARTUP(web1)`. */
const instancesIn = (summary: readonly string[]): readonly string[] =>
  summary.flatMap((text) => /^INSTANCE_\w+\((.*)\)$/.exec(text)?.[1] ?? []);

/** Objects that match a filter in Ganeti's syntax; `read` gives those that match a condition. */
export const sourceOf = <Row extends { readonly uuid: string }>(
  filterText: string,
  read: (filter: unknown) => Promise<readonly Row[]>,
  effectOf: Source<Row>["effectOf"],
): Source<Row> => ({
  keyOf: ({ uuid }) => uuid,
  readAll: async () => read(await filterOf(filterText)),
  async readSome(uuids) {
    const filter = await filterOf(filterText);
    const these = anyOf("uuid", uuids);
    return read(filter === null ? these : ["&", filter, these]);
  },
  effectOf,
});

/** UUIDs of the objects of a type that an event changes. */
export const changedOf = ({ changes }: ConfigEvent, type: string): readonly string[] =>
  changes.flatMap((change) => (change.type === type ? (change.uuid ?? []) : []));

/** Instances that match a filter in Ganeti's syntax. */
export const instanceSource = (filterText: string): Source<InstanceRow> =>
  sourceOf(
    filterText,
    (filter) => query("instance", instanceFields, filter),
    (event, rows) => {
      if (event.topic === "config") {
        return {
          keys: changedOf(event, "instance"),
          isStale: event.changes.some(({ type }) => inherited.has(type)),
        };
      }
      // States of instances are not part of the configuration; a job that ends may have changed them.
      if (!hasEnded(event.status)) return {};
      const names = new Set(instancesIn(event.summary));
      if (names.size === 0) return {};
      return {
        keys: [...rows.values()].filter(({ name }) => names.has(name)).map(({ uuid }) => uuid),
      };
    },
  );

export const jobSource: Source<JobRow> = {
  keyOf: ({ id }) => String(id),
  readAll: () => query("job", jobFields),
  async readSome(ids) {
    const rows = await query("job", jobFields, anyOf("id", ids.map(Number)));
    // An unknown job has a row without values.
    return rows.filter(({ status }) => status !== null);
  },
  effectOf(event: RowEvent, rows) {
    if (event.topic !== "job") return {};
    const { id, status, summary } = event;
    const known = rows.get(String(id));
    const times = { received_ts: null, end_ts: null };
    return {
      rows: [{ ...(known ?? times), id, status, summary }],
      // Events contain no times: these are read for a new job, and at its end.
      keys: known === undefined || hasEnded(status) ? [String(id)] : [],
    };
  },
};

/** Only these jobs, read again as their events come. */
export function sourceOfJobs(ids: readonly number[]): Source<JobRow> {
  const wanted = new Set(ids);
  return {
    ...jobSource,
    readAll: () => jobSource.readSome(ids.map(String)),
    effectOf: (event, rows) =>
      event.topic === "job" && wanted.has(event.id) ? jobSource.effectOf(event, rows) : {},
  };
}
