/** Every place on a dedicated cluster, by the allocations that it loses. Counts agree with `DedicatedSearch`. */
import type { CandidateField, LostAllocations, Refusal } from "@ganeti-ts/protocol";
import { compareLostAllocations, DedicatedSearch, sumOfLosses } from "../allocate/dedicated.js";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import type { PeerMap } from "../model/peer-map.js";
import { makeField, RuleCounts, type Verdicts } from "./candidate-field.js";
import type { Contender, Examined } from "./examination.js";
import { policyRefusal } from "./policy-refusal.js";
import { primaryRefusal } from "./primary-refusal.js";
import { nodeName } from "./refusal.js";
import { secondaryRefusal } from "./secondary-refusal.js";

interface Loss {
  readonly primary: number;
  readonly secondary: number;
  readonly measured: { readonly lostAllocations: LostAllocations };
}

export function examineDedicated(
  cluster: Cluster,
  group: number,
  instance: Instance,
  { copies, nodes }: { readonly copies: 1 | 2; readonly nodes: readonly number[] },
  force: boolean,
  listMax: number,
): Examined {
  const search = new DedicatedSearch(cluster, group, instance, force);
  const counts = new RuleCounts();
  const refusals: CandidateField["refusals"] = [];
  const losses: Loss[] = [];
  const refuse = (places: readonly number[], refusal: Refusal) => {
    counts.add(refusal.rule, 1);
    if (refusals.length >= listMax) return;
    refusals.push({ nodes: places.map((node) => nodeName(cluster, node)), refusal });
  };
  const asSecondary = new Map(
    copies === 1 ? [] : nodes.map((node) => [node, secondaryOf(node, -1)] as const),
  );
  const ruledOut = new Map<number, number>();
  const primaryRefusals = nodes.map((primary) => {
    const refused =
      policyRefusal(cluster, instance, primary) ??
      primaryRefusal(cluster, instance, primary, force);
    const first = search.asPrimary(primary);
    if (copies === 1) {
      if (refused || typeof first === "number") refuse([primary], refused as Refusal);
      else losses.push({ primary, secondary: -1, measured: { lostAllocations: copyOf(first) } });
      return refused;
    }
    for (const secondary of nodes) {
      if (secondary === primary) continue;
      if (refused || typeof first === "number") {
        refuse([primary, secondary], refused as Refusal);
        continue;
      }
      const shares = (cluster.peers[secondary] as PeerMap).some(({ node }) => node === primary);
      const second = shares ? secondaryOf(secondary, primary) : asSecondary.get(secondary);
      if (second === undefined || "rule" in second) {
        refuse([primary, secondary], second as Refusal);
        if (!shares) ruledOut.set(secondary, (ruledOut.get(secondary) ?? 0) + 1);
      } else {
        const lostAllocations = copyOf(sumOfLosses(first, second));
        losses.push({ primary, secondary, measured: { lostAllocations } });
      }
    }
    return refused;
  });
  const verdicts = nodes.map((node, i): Verdicts => {
    const refusal = primaryRefusals[i];
    const primary = { refusal, candidates: refusal ? (copies === 1 ? 1 : nodes.length - 1) : 0 };
    const second = asSecondary.get(node);
    if (second === undefined) return { node, primary };
    const refused = "rule" in second ? second : undefined;
    return { node, primary, secondary: { refusal: refused, candidates: ruledOut.get(node) ?? 0 } };
  });
  const ranked = losses
    .reverse()
    .sort((a, b) => compareLostAllocations(a.measured.lostAllocations, b.measured.lostAllocations));
  const [winner] = ranked;
  const tied = ranked.filter(
    ({ measured }) => winner && sameLoss(measured, winner.measured),
  ).length;
  const contenders: Contender[] = ranked.slice(0, listMax);
  const candidates = contenders.map(({ primary, secondary, measured }) => ({
    nodes: (secondary < 0 ? [primary] : [primary, secondary]).map((node) =>
      nodeName(cluster, node),
    ),
    ...measured,
    capacity: "off" as const,
  }));
  const feasible = ranked.length;
  const scoreBefore = undefined;
  const parts = { cluster, scoreBefore, feasible, counts, verdicts, candidates, refusals };
  return { field: makeField(parts), contenders, tied };

  function secondaryOf(node: number, primary: number) {
    const refused = secondaryRefusal(cluster, instance, node, primary, false);
    if (refused) return refused;
    const loss = search.asSecondary(node, primary);
    if (typeof loss === "number") throw new Error("a secondary is refused without a reason");
    return loss;
  }
}

const copyOf = ({ lost, diskFreeMib }: { lost: readonly number[]; diskFreeMib: number }) => ({
  lost: [...lost],
  diskFreeMib,
});

const sameLoss = (a: Loss["measured"], b: Loss["measured"]): boolean =>
  compareLostAllocations(a.lostAllocations, b.lostAllocations) === 0;
