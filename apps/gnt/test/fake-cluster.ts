/** A cluster that answers what a test tells it, and remembers what it was asked to do. */
import type { Json } from "@ganeti-ts/protocol";
import type { Cluster, JobChange, OpcodeJson, Submitted } from "../src/cluster.js";

/** How a job comes to its end: its messages, then its results or its failure. */
export interface FakeJob {
  readonly log?: readonly string[];
  readonly results?: readonly Json[];
  /** `[class, arguments]`, or a text. */
  readonly error?: Json;
  readonly status?: "success" | "error" | "canceled" | "running";
}

export interface FakeCluster extends Cluster {
  /** Jobs that were submitted, each its opcodes. */
  readonly submitted: (readonly OpcodeJson[])[];
  /** Other calls that change something: their names and arguments. */
  readonly done: (readonly [name: string, ...args: Json[]])[];
}

export interface Answers extends Partial<Cluster> {
  /** How the job of such opcodes ends; success with null if absent. A text: it is refused. */
  readonly jobOf?: (opcodes: readonly OpcodeJson[], id: number) => FakeJob | string;
}

/** What is not given answers nothing: a test fails that asks for it. */
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
