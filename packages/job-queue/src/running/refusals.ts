/**
 * Refusal of effects of dead workers, between fencing and burial: all systems that apply effects are
 * notified.
 */
import type { Clock, JobId } from "@ganeti-ts/protocol";
import type { EffectTakers } from "../ports.js";
import { type Claim, type DeadWorker, leaseText } from "../stores/store.js";

const retryMs = 1000;

export interface RefusalPorts {
  /** If absent, operations have no effects on other systems. */
  readonly takers: EffectTakers | undefined;
  readonly clock: Clock;
  /** Jobs held by a dead worker. */
  readonly jobsOf: (dead: Claim) => readonly JobId[];
  /** Called when a lease is refused everywhere. */
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

  /** Handles the workers reported by a step. */
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

  /** Whether a refusal is pending. */
  get isBusy(): boolean {
    return this.#underWay.size > 0;
  }

  /** Resolves when no refusal is pending. */
  async idle(): Promise<void> {
    while (this.isBusy) await Promise.all(this.#underWay.values());
  }

  async #insist(takers: EffectTakers, lease: string, jobs: readonly JobId[]): Promise<void> {
    await undefined; // It must be registered before it can end.
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
