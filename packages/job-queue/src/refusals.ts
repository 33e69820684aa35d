/** The time between a worker's fence and its burial: whoever takes its effects is told to refuse them. */
import type { Clock, JobId } from "@ganeti-ts/protocol";
import type { EffectTakers } from "./ports.js";
import { type Claim, type DeadWorker, leaseText } from "./store.js";

const retryMs = 1000;

export interface RefusalPorts {
  /** Absent: operations have no effects elsewhere. */
  readonly takers: EffectTakers | undefined;
  readonly clock: Clock;
  /** Jobs in the hands of the dead. */
  readonly jobsOf: (dead: Claim) => readonly JobId[];
  /** A lease is refused everywhere now. */
  readonly refused: () => void;
  readonly isOver: () => boolean;
}

export class Refusals {
  readonly #ports: RefusalPorts;
  readonly #done = new Set<string>();
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(ports: RefusalPorts) {
    this.#ports = ports;
  }

  isRefused(lease: string): boolean {
    return this.#ports.takers === undefined || this.#done.has(lease);
  }

  /** What a step has found out. */
  hear(fenced: readonly Claim[], dead: readonly DeadWorker[]): void {
    const { takers } = this.#ports;
    if (takers === undefined) return;
    const leases = new Set([...fenced, ...dead].map(leaseText));
    if (leases.size > 0) takers.learnFenced([...leases]);
    for (const gone of dead) {
      const lease = leaseText(gone);
      if (this.#done.has(lease) || this.#underWay.has(lease)) continue;
      this.#underWay.set(lease, this.#insist(takers, lease, this.#ports.jobsOf(gone)));
    }
  }

  /** Something is about to be refused. */
  get isBusy(): boolean {
    return this.#underWay.size > 0;
  }

  /** Resolves when all that was to be refused is. */
  async idle(): Promise<void> {
    while (this.isBusy) await Promise.all(this.#underWay.values());
  }

  async #insist(takers: EffectTakers, lease: string, jobs: readonly JobId[]): Promise<void> {
    await undefined; // It is under way before it can be over.
    while (!this.#ports.isOver()) {
      try {
        await takers.refuse(lease, jobs);
        this.#done.add(lease);
        break;
      } catch {
        await new Promise<void>((resolve) => this.#ports.clock.after(retryMs, resolve));
      }
    }
    this.#underWay.delete(lease);
    this.#ports.refused();
  }
}
