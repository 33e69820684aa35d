/** Runners of the jobs that one worker holds. */
import { ganetiTimeouts } from "@ganeti-ts/locking";
import type { JobId } from "@ganeti-ts/protocol";
import type { Executor } from "../ports.js";
import type { QueueOptions } from "../queue-options.js";
import type { Engine } from "../steps/engine.js";
import { isHeldBy } from "../steps/entry.js";
import { Runner, type RunnerPorts } from "./runner.js";

/** Starts a runner for each job that the worker has claimed, and keeps it until the job's locks are released. */
export class Runners {
  readonly #engine: Engine;
  readonly #options: QueueOptions;
  readonly #ports: Pick<RunnerPorts, "stopping" | "submit">;
  #hasCut = false;
  readonly #held = new Map<JobId, { readonly runner: Runner; readonly done: Promise<void> }>();

  constructor(
    engine: Engine,
    options: QueueOptions,
    ports: Pick<RunnerPorts, "stopping" | "submit">,
  ) {
    this.#engine = engine;
    this.#options = options;
    this.#ports = ports;
  }

  get size(): number {
    return this.#held.size;
  }

  /**
   * Whether a job has been taken away from its operation, by a kill for example. What the operation has asked of other
   * systems may go on there after it has ended here.
   */
  get hasCut(): boolean {
    return this.#hasCut;
  }

  has(id: JobId): boolean {
    return this.#held.has(id);
  }

  /** Makes the job's runner look at its changes; a claimed job without a runner gets one. */
  changed(id: JobId): void {
    const held = this.#held.get(id);
    if (held !== undefined) held.runner.look();
    // This may be the last step: a result that its runner could not store must not be produced again.
    else if (!this.#engine.ended && this.#isOurs(id)) this.#start(id);
  }

  lookAll(): void {
    for (const { runner } of this.#held.values()) runner.look();
  }

  loseAll(): void {
    for (const { runner } of this.#held.values()) runner.lose();
  }

  /** Resolves when the runners of now have ended; their jobs may have new ones by then. */
  async ended(): Promise<void> {
    await Promise.all([...this.#held.values()].map(({ done }) => done));
  }

  /** Resolves when there is no runner. */
  async idle(): Promise<void> {
    while (this.#held.size > 0) await this.ended();
  }

  #start(id: JobId): void {
    const { executor, locks, clock, random } = this.#options;
    const { timeouts = ganetiTimeouts(() => random.fraction()) } = this.#options;
    const runner = new Runner(id, {
      engine: this.#engine,
      executor: executor as Executor,
      locks,
      clock,
      timeouts,
      cut: () => {
        this.#hasCut = true;
      },
      ...this.#ports,
    });
    const done = runner.run().finally(() => {
      this.#held.delete(id);
      return this.#startAgain(id);
    });
    this.#held.set(id, { runner, done });
  }

  /**
   * A job may be claimed again before its last runner has released its locks. Only a durable claim counts:
   * after a crash, an opcode started on any other claim would be started twice.
   */
  async #startAgain(id: JobId): Promise<void> {
    await this.#engine.durable();
    if (this.#engine.ended || this.#held.has(id)) return;
    if (this.#isOurs(id)) this.#start(id);
  }

  #isOurs(id: JobId): boolean {
    return isHeldBy(this.#engine.image.get(id), this.#engine.store.claim);
  }
}
