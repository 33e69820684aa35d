// Interface of an implementation for the conformance suite: workers that start, stop and die.

import {
  type EffectTakers,
  type Executor,
  JobQueue,
  type JobQueue as JobQueueType,
  type JobStore,
  type QueueOptions,
} from "@ganeti-ts/job-queue";
import type { LockManager } from "@ganeti-ts/locking";
import type { JobId, Json, JsonObject } from "@ganeti-ts/protocol";
import { systemClock } from "@ganeti-ts/protocol";
import { compilePattern } from "@ganeti-ts/query";
import { afterEach, beforeEach } from "vitest";

/** One set of jobs, and how to get at it. */
export interface World {
  /** A new worker. Where a store is for one process, the one before must have been closed or killed. */
  connect(): Promise<Worker>;
  /** Ends everything and removes what it left. */
  close(): Promise<void>;
}

export interface Worker {
  readonly store: JobStore;
  readonly locks: LockManager;
  /** As SIGKILL does: from now on nothing of it reaches the store, and its lease runs out. */
  kill(): Promise<void>;
}

/** `shared`: several workers at the same time. */
export interface Implementation {
  readonly shared: boolean;
  makeWorld(): Promise<World>;
}

/** Another one for each test; it is closed afterwards. */
export function worldOfEachTest(makeWorld: Implementation["makeWorld"]): Pick<World, "connect"> {
  let world: World | undefined;
  beforeEach(async () => {
    world = await makeWorld();
  });
  afterEach(() => world?.close());
  return {
    connect() {
      if (world === undefined) throw new Error("there is a world only while a test runs");
      return world.connect();
    },
  };
}

/** An executor that holds every opcode until the test supplies its result. */
export class Hands implements Executor {
  readonly begun: string[] = [];
  readonly #waiting = new Map<
    string,
    { resolve(value: Json): void; reject(error: unknown): void }
  >();
  readonly locks: NonNullable<Executor["locks"]>;

  constructor(locks: NonNullable<Executor["locks"]> = () => []) {
    this.locks = locks;
  }

  run: Executor["run"] = (opcode, { jobId, opcodeIndex }) => {
    const key = `${jobId}.${opcodeIndex}`;
    this.begun.push(`${key} ${opcode.OP_ID}`);
    return new Promise<Json>((resolve, reject) => this.#waiting.set(key, { resolve, reject }));
  };

  /** Ends opcode `index` of `job` as soon as it has begun. */
  async end(job: number, index: number, result: Json | Error = null): Promise<void> {
    const key = `${job}.${index}`;
    await eventually(() => this.#waiting.has(key));
    const { resolve, reject } = this.#waiting.get(key) as {
      resolve(v: Json): void;
      reject(e: unknown): void;
    };
    this.#waiting.delete(key);
    if (result instanceof Error) reject(result);
    else resolve(result);
  }
}

export const openQueue = (
  worker: Worker,
  options: Partial<QueueOptions> = {},
): Promise<JobQueueType> =>
  JobQueue.open({
    store: worker.store,
    locks: worker.locks,
    clock: systemClock,
    random: { fraction: () => 0.5 },
    patterns: compilePattern,
    pollMs: 100,
    ...options,
  });

/** Receivers of effects that refuse a lease only when the test allows it. */
export class Takers implements EffectTakers {
  readonly learnt: string[] = [];
  readonly asked: string[] = [];
  readonly jobs: (readonly JobId[])[] = [];
  #open: () => void = () => {};
  readonly #opened = new Promise<void>((resolve) => {
    this.#open = resolve;
  });

  learnFenced(leases: readonly string[]): void {
    for (const lease of leases) if (!this.learnt.includes(lease)) this.learnt.push(lease);
  }

  /** In vain the first time. */
  async refuse(lease: string, jobs: readonly JobId[]): Promise<void> {
    this.asked.push(lease);
    this.jobs.push(jobs);
    if (this.asked.length === 1) throw new Error("cannot be reached");
    await this.#opened;
  }

  letRefuse(): void {
    this.#open();
  }
}

/** Does what every opcode asks for at once: its parameter `result`, or an error by `fail`. */
export const obedient: Executor = {
  run: ({ result, fail }) => {
    if (typeof fail === "string") throw new Error(fail);
    return result ?? null;
  },
};

export const op = (name: string, more: JsonObject = {}): JsonObject => ({
  OP_ID: `OP_${name}`,
  ...more,
});

export const jobId = (id: number) => id as JobId;

/** Waits, 5 min at most, until `condition` holds. */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  what = "what was expected",
): Promise<void> {
  const end = performance.now() + 300_000;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`${what} did not come about`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Waits until the job is in `status`. */
export const comesTo = (queue: JobQueueType, id: number, status: string): Promise<void> =>
  eventually(async () => {
    const [row] = await queue.query([jobId(id)], ["status"]);
    return row?.[0] === status;
  }, `job ${id} ${status}`);

/** One field of one job. */
export const field = async (
  queue: JobQueueType,
  id: number,
  name: string,
): Promise<Json | undefined> => (await queue.query([jobId(id)], [name]))[0]?.[0];
