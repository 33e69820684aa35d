// Opcodes whose locks depend on the state of things, which changes while they wait.
import type { LockMode, LockName, LockRequest } from "@ganeti-ts/locking";
import type { JobId, Opcode } from "@ganeti-ts/protocol";
import type { Dice } from "@ganeti-ts/testkit/simulation";

/** Locks as seen by one worker's executor: an opcode that `moves` needs some or all of its list. */
export class MovingLocks {
  readonly #dice: Dice;
  readonly #askedLast = new Map<JobId, readonly LockRequest[]>();

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  ask(opcode: Opcode, id: JobId): readonly LockRequest[] {
    const asked = this.#needs(opcode);
    this.#askedLast.set(id, asked);
    return asked;
  }

  held(id: JobId): [string, string][] {
    return (this.#askedLast.get(id) ?? []).map(({ lock, mode }) => [lock, mode]);
  }

  /** It has moved since, to where it needs more than it asked for. */
  lacks(opcode: Opcode, id: JobId): boolean {
    return this.#needs(opcode).length > (this.#askedLast.get(id)?.length ?? 0);
  }

  #needs(opcode: Opcode): readonly LockRequest[] {
    const all = opcode.locks as readonly [LockName, LockMode][];
    const count = opcode.moves === true ? this.#dice.between(0, all.length) : all.length;
    return all.slice(0, count).map(([lock, mode]) => ({ lock, mode }));
  }
}
