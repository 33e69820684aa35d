/** The global N+1 test of candidates: the verdict of the core, and the refusal of the node that cannot be emptied. */
import type { Refusal } from "@ganeti-ts/protocol";
import type { Placement } from "../fit/move.js";
import { addPrimary, addSecondary } from "../fit/placing.js";
import { EmptyingRefusals } from "./emptying-refusals.js";
import type { Examination } from "./examination.js";

export class N1Test {
  private readonly emptying: EmptyingRefusals;

  /** @param locationScore current location score of the instance; pairs have their own */
  constructor(
    private readonly examination: Examination,
    private readonly locationScore = 0,
  ) {
    this.emptying = new EmptyingRefusals(
      examination.cluster,
      examination.scored,
      examination.newcomer,
    );
  }

  passes(primary: number, secondary: number): boolean {
    const { capacity } = this.examination;
    if (capacity === undefined) return true;
    return this.placed(primary, secondary, (placement) => capacity.passes(placement));
  }

  /** Only for candidates that do not pass. */
  refusal(primary: number, secondary: number): Refusal {
    const found = this.placed(primary, secondary, (placement) => this.emptying.refusal(placement));
    if (found === undefined) throw new Error("a placement fails N+1 without a node to blame");
    return found;
  }

  private placed<T>(primary: number, secondary: number, look: (placement: Placement) => T): T {
    const { cluster, instance, index, ignoreSoftErrors } = this.examination;
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
