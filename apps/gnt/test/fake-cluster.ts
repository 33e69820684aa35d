/** Fake cluster with given answers, which records submitted jobs and other changes. */
import type { Json } from "@ganeti-ts/protocol";
import type { Cluster, JobChange, OpcodeJson, QueryTable, Submitted } from "../src/cluster.js";

/** Course of a job: its messages, then its results or its failure. */
export interface FakeJob {
  readonly log?: readonly string[];
  readonly results?: readonly Json[];
  /** `[class, arguments]`, or a text. */
  readonly error?: Json;
  readonly status?: "success" | "error" | "canceled" | "running";
}

export interface FakeCluster extends Cluster {
  /** Submitted jobs, as lists of opcodes. */
  readonly submitted: (readonly OpcodeJson[])[];
  /** Other changes: names of calls, with arguments. */
  readonly done: (readonly [name: string, ...args: Json[]])[];
}

export interface Answers extends Partial<Cluster> {
  /** End of a job with these opcodes; by default success with null. A text refuses the job. */
  readonly jobOf?: (opcodes: readonly OpcodeJson[], id: number) => FakeJob | string;
}

/** Calls without a given answer fail the test. */
export function fakeCluster({ jobOf = () => ({}), ...answers }: Answers = {}): FakeCluster {
  const submitted: (readonly OpcodeJson[])[] = [];
  const done: (readonly [string, ...Json[]])[] = [];
  const jobs = new Map<number, FakeJob>();
  const unasked = (what: string) => async (): Promise<never> => {
    throw new Error(`nobody said what ${what} answers`);
  };
  const noting =
    <Value>(name: string, value: Value) =>
    async (...args: (Json | undefined)[]): Promise<Value> => {
      done.push([name, ...args.map((one) => one ?? null)]);
      return value;
    };
  return {
    submitted,
    done,
    info: unasked("info"),
    query: unasked("query"),
    queryFields: unasked("queryFields"),
    job: unasked("job"),
    why: unasked("why"),
    claims: unasked("claims"),
    tags: unasked("tags"),
    isDrained: unasked("isDrained"),
    watcherPause: unasked("watcherPause"),
    call: unasked("call"),
    submit: async (given) =>
      given.map((opcodes): Submitted => {
        submitted.push(opcodes);
        const id = submitted.length;
        const job = jobOf(opcodes, id);
        if (typeof job === "string") return { refused: job };
        jobs.set(id, job);
        return { id };
      }),
    waitForChange: async (id) => {
      const job = jobs.get(id);
      return job === undefined ? "gone" : ending(job);
    },
    cancel: noting("cancel", [true, "Job successfully cancelled"] as const),
    changePriority: noting("changePriority", [true, "done"] as const),
    archive: noting("archive", true),
    autoArchive: noting("autoArchive", [0, 0] as const),
    setDrained: noting("setDrained", undefined),
    setWatcherPause: noting("setWatcherPause", undefined),
    renewConfdKey: noting("renewConfdKey", undefined),
    putFilter: noting("putFilter", "00000000-0000-4000-8000-000000000001") as Cluster["putFilter"],
    deleteFilter: noting("deleteFilter", undefined),
    ...answers,
  };
}

function ending({ log = [], results = [null], error, status }: FakeJob): JobChange {
  const entries = log.map((message, at) => ({
    serial: at + 1,
    time: [1_800_000_000 + at, 0] as const,
    type: "message",
    message,
  }));
  if (status === "running") return "nothing";
  if (error === undefined && status !== "canceled") {
    return { values: ["success", results.map(() => "success"), results], log: entries };
  }
  const ended = status ?? "error";
  return { values: [ended, [ended], [error ?? "Job canceled by request"]], log: entries };
}

/** A table with these rows; null is a field without a value. */
export const tableOf = (
  names: readonly string[],
  rows: readonly (readonly Json[])[],
): QueryTable => ({
  fields: names.map((name) => ({ name, title: name, kind: "other", doc: "" })),
  data: rows.map((row) => row.map((value) => [value === null ? 3 : 0, value])),
});

export type Thing = Readonly<Record<string, Json>>;

/** Answers queries with the fields of these objects: of all, or of those that a filter names. */
export const answering =
  (things: readonly Thing[]): Cluster["query"] =>
  async (_kind, names, filter) => {
    const name = Array.isArray(filter) && filter[0] === "=" ? filter[2] : undefined;
    const found = things.filter((thing) => name === undefined || thing.name === name);
    return tableOf(
      names,
      found.map((thing) => names.map((field) => thing[field] ?? null)),
    );
  };
