// Receiver of the effects of operations, over a network: it outlives all processes, and refuses dead workers
// once it is notified.

import type { Dice, Process } from "@ganeti-ts/testkit/simulation";
import type { Claim, EffectTakers, OperationContext } from "../../src/index.js";
import type { Auditor } from "./auditor.js";
import type { Faults } from "./faulty-store.js";

export class Effects {
  readonly #auditor: Auditor;
  readonly #dice: Dice;
  readonly #faults: Faults;
  readonly #refusesNothing: boolean;
  readonly #refused = new Set<string>();

  constructor(auditor: Auditor, dice: Dice, faults: Faults, refusesNothing: boolean) {
    this.#auditor = auditor;
    this.#dice = dice;
    this.#faults = faults;
    this.#refusesNothing = refusesNothing;
  }

  /** As a process asks for refusals: slowly, and sometimes in vain. */
  takersFor(process: Process): EffectTakers {
    return {
      learnFenced: () => {},
      refuse: async (lease) => {
        await process.pause(10 * this.#faults.latencyMs);
        if (this.#dice.chance(this.#faults.refuse)) throw new Error("cannot be reached");
        if (!this.#refusesNothing) this.#refused.add(lease);
        await process.pause(10 * this.#faults.latencyMs);
      },
    };
  }

  /** One arrives, also if the process has stood still since it was sent. */
  arrives(claim: Claim, { lease, jobId }: OperationContext): void {
    if (this.#refused.has(lease)) this.#auditor.counts.late++;
    else this.#auditor.acted(claim, jobId);
  }
}
