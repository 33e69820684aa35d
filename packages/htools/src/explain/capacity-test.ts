/** The global N+1 test of one candidate after the other: what the core says, and who is to blame. */
import type { Refusal } from "@ganeti-ts/protocol";
import type { Seat } from "../fit/move.js";
import { addPrimary, addSecondary } from "../fit/placing.js";
import { Emptying } from "./emptying.js";
import type { Looking } from "./looked.js";

export class CapacityTest {
  private readonly emptying: Emptying;

  /** @param locationScore of the instance as it stands; pairs have their own */
  constructor(
    private readonly looking: Looking,
    private readonly locationScore = 0,
  ) {
    this.emptying = new Emptying(looking.cluster, looking.scored, looking.newcomer);
  }

  passes(primary: number, secondary: number): boolean {
    const { capacity } = this.looking;
    if (capacity === undefined) return true;
    return this.placed(primary, secondary, (seat) => capacity.passes(seat));
  }

  /** Only for a candidate that does not pass. */
  blame(primary: number, secondary: number): Refusal {
    const found = this.placed(primary, secondary, (seat) => this.emptying.refusal(seat));
    if (found === undefined) throw new Error("a placement fails N+1 without a node to blame");
    return found;
  }

  private placed<T>(primary: number, secondary: number, look: (seat: Seat) => T): T {
    const { cluster, instance, index, ignoreSoftErrors } = this.looking;
    const locationScore =
      secondary < 0 ? this.locationScore : cluster.sharedLocations(primary, secondary);
    const mark = cluster.mark();
    addPrimary(cluster, instance, index, primary, ignoreSoftErrors, locationScore);
    if (secondary >= 0) addSecondary(cluster, instance, index, secondary, primary, false);
    const seen = look({ primary, secondary, locationScore });
    cluster.rollback(mark);
    return seen;
  }
}
