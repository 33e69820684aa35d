/** Sources of the lists that follow events: which rows an event changes, and how they are read. */
import type { Source } from "./collection.js";
import { filterOf } from "./filter.js";
import type { RowEvent } from "./live.js";
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

/** Instances that match a filter in Ganeti's syntax. */
export function instanceSource(filterText: string): Source<InstanceRow> {
  return {
    keyOf: ({ uuid }) => uuid,
    readAll: async () => query("instance", instanceFields, await filterOf(filterText)),
    async readSome(uuids) {
      const filter = await filterOf(filterText);
      const these = anyOf("uuid", uuids);
      return query("instance", instanceFields, filter === null ? these : ["&", filter, these]);
    },
    effectOf(event, rows) {
      if (event.topic === "config") {
        const of = (type: string) => event.changes.filter((change) => change.type === type);
        return {
          keys: of("instance").flatMap(({ uuid }) => uuid ?? []),
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
  };
}

export const jobSource: Source<JobRow> = {
  keyOf: ({ id }) => String(id),
  readAll: () => query("job", jobFields),
  async readSome(ids) {
    const rows = await query<JobRow>("job", jobFields, anyOf("id", ids.map(Number)));
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
