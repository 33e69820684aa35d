/**
 * Combined suggestions if no single change helps: a minimal set of changes, none of which can be omitted or
 * made smaller.
 */
import type { AllocationChange } from "@ganeti-ts/protocol";
import type { InParts } from "../parts.js";
import { oneLess } from "./apply-change.js";
import type { ChangeTrials } from "./change-trials.js";
import type { Problem } from "./problem.js";
import { sizesOf } from "./suggest-resizes.js";

/** @param permitted changes without an amount, preferred ones first */
export function* suggestTogether(
  trials: ChangeTrials,
  problem: Problem,
  permitted: readonly AllocationChange[],
): InParts<AllocationChange[] | undefined> {
  for (const sized of smallestSizes(problem)) {
    for (const further of [[], permitted]) {
      if (!trials.hasTime) return undefined;
      const all = [...sized, ...further];
      if (all.length === 0 || !(yield* trials.succeeds(all))) continue;
      return yield* reduced(trials, all);
    }
  }
  return undefined;
}

/** The instance at the lower bounds of a policy, for each of the first few policies. */
function smallestSizes({ cluster, data }: Problem): AllocationChange[][] {
  const specs = cluster.data.groups.flatMap(({ policy }) => policy.minMax.map(({ min }) => min));
  const nothing = {
    memoryMib: 1,
    cpuCount: 1,
    diskMib: 1,
    diskCount: 1,
    nicCount: 1,
    spindleUse: 1,
  };
  return [...specs.slice(0, 4), nothing].map((spec) =>
    sizesOf(data).flatMap(({ resource, toBound }): AllocationChange[] => {
      const by = toBound(spec);
      if (by === 0 || resource === "disks") return [];
      return [{ kind: "resize", instance: data.name, resource, by }];
    }),
  );
}

/** Omits unneeded changes, from the end, then minimises the amounts. */
function* reduced(
  trials: ChangeTrials,
  all: readonly AllocationChange[],
): InParts<AllocationChange[] | undefined> {
  let kept = [...all];
  for (const change of [...all].reverse()) {
    const without = kept.filter((one) => one !== change);
    if (without.length > 0 && (yield* trials.succeeds(without))) kept = without;
  }
  for (const change of kept) {
    if (!("by" in change)) continue;
    const at = kept.indexOf(change);
    const sign = Math.sign(change.by);
    const changed = (amount: number) => kept.with(at, { ...change, by: sign * amount });
    const amount = yield* trials.smallest(changed, [], Math.abs(change.by));
    if (amount === undefined) return undefined;
    kept = changed(amount);
  }
  return (yield* isMinimal(trials, kept)) ? kept : undefined;
}

/** Whether the smaller amounts have made no other change superfluous or too large. */
function* isMinimal(trials: ChangeTrials, changes: readonly AllocationChange[]): InParts<boolean> {
  for (const [at, change] of changes.entries()) {
    const less = oneLess(change);
    const smaller =
      less === undefined ? changes.filter((one) => one !== change) : changes.with(at, less);
    if (smaller.length > 0 && (yield* trials.succeeds(smaller))) return false;
  }
  return true;
}
