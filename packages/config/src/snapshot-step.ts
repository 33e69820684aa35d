/** Steps from snapshot to snapshot: what was changed between two of them that are not far from each other. */
import type { ConfigChange, ObjectType } from "./objects.js";

/** Number of steps that are remembered; a comparison over more of them, or of larger ones, compares whole tables. */
const stepsMax = 64;
/** Most changes of a remembered step. */
const changesMax = 1024;

/** How a snapshot came from the one before it. */
export class SnapshotStep {
  #before: SnapshotStep | undefined;
  readonly #changes: readonly ConfigChange[];

  private constructor(before: SnapshotStep | undefined, changes: readonly ConfigChange[]) {
    this.#before = before;
    this.#changes = changes;
  }

  /** Step of a snapshot that was not made from another one. */
  static first(): SnapshotStep {
    return new SnapshotStep(undefined, []);
  }

  /** O(steps remembered). */
  next(changes: readonly ConfigChange[]): SnapshotStep {
    if (changes.length > changesMax) return SnapshotStep.first();
    let oldest: SnapshotStep = this;
    for (let at = 1; at < stepsMax && oldest.#before !== undefined; at++) oldest = oldest.#before;
    oldest.#before = undefined;
    return new SnapshotStep(this, changes);
  }

  /**
   * UUIDs of the objects of that type changed since the snapshot of an earlier step, ascending, each once; undefined if
   * the steps between them are not remembered. O(changes since).
   */
  changedSince(earlier: SnapshotStep, type: ObjectType): readonly string[] | undefined {
    const changed = new Set<string>();
    let step: SnapshotStep | undefined = this;
    for (; step !== earlier; step = step.#before) {
      if (step === undefined) return undefined;
      for (const change of step.#changes) {
        if (change.kind === "cluster" || change.type !== type) continue;
        changed.add(change.kind === "put" ? change.object.uuid : change.uuid);
      }
    }
    return [...changed].sort();
  }
}
