/**
 * All candidates on a dedicated cluster, with the allocations each loses. Counts agree with
 * `DedicatedSearch`.
 */
import type { CandidateField, LostAllocations, Refusal } from "@ganeti-ts/protocol";
import {
  compareLostAllocations,
  DedicatedSearch,
  type LostAllocations as Lost,
  sumOfLosses,
} from "../allocate/dedicated.js";
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

/** Candidates on a dedicated cluster. */
interface DedicatedCandidates {
  readonly cluster: Cluster;
  readonly group: number;
  readonly instance: Instance;
  /** Nodes that the instance needs. */
  readonly copies: 1 | 2;
  readonly nodes: readonly number[];
  /** Skips the soft checks. */
  readonly force: boolean;
  readonly listMax: number;
}

export function examineDedicated(asked: DedicatedCandidates): Examined {
  const { cluster, nodes, listMax } = asked;
  const places = new DedicatedPlaces(asked);
  const primaryRefusals = nodes.map((primary) => places.tryPrimary(primary));
  const verdicts = nodes.map((node, i) => places.verdict(node, primaryRefusals[i]));
  const { counts, refusals } = places;
  const ranked = places.losses
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
}

/** All places, tried in the order of primary and secondary: the losses of the feasible ones, the refusals of the others. */
class DedicatedPlaces {
  readonly counts = new RuleCounts();
  readonly refusals: CandidateField["refusals"] = [];
  readonly losses: Loss[] = [];
  private readonly search: DedicatedSearch;
  /** By node: its result as the secondary of a primary that it shares no instance with. */
  private readonly asSecondary: ReadonlyMap<number, Refusal | Lost>;
  /** By secondary: number of pairs that it rules out with any primary. */
  private readonly ruledOut = new Map<number, number>();

  constructor(private readonly asked: DedicatedCandidates) {
    const { cluster, group, instance, copies, nodes, force } = asked;
    this.search = new DedicatedSearch(cluster, group, instance, force);
    this.asSecondary = new Map(
      copies === 1 ? [] : nodes.map((node) => [node, this.secondaryOf(node, -1)] as const),
    );
  }

  /**
   * Tries a primary with every secondary, if the instance needs one; returns the refusal of the primary
   * itself.
   */
  tryPrimary(primary: number): Refusal | undefined {
    const { cluster, instance, copies, nodes, force } = this.asked;
    const refused =
      policyRefusal(cluster, instance, primary) ??
      primaryRefusal(cluster, instance, primary, force);
    const loss = this.search.asPrimary(primary);
    if (copies === 1) {
      if (refused || typeof loss === "number") this.refuse([primary], refused as Refusal);
      else this.accept(primary, -1, loss);
      return refused;
    }
    for (const secondary of nodes) {
      if (secondary === primary) continue;
      if (refused || typeof loss === "number") {
        this.refuse([primary, secondary], refused as Refusal);
      } else this.tryPair(primary, loss, secondary);
    }
    return refused;
  }

  verdict(node: number, refusal: Refusal | undefined): Verdicts {
    const { copies, nodes } = this.asked;
    const primary = { refusal, candidates: refusal ? (copies === 1 ? 1 : nodes.length - 1) : 0 };
    const second = this.asSecondary.get(node);
    if (second === undefined) return { node, primary };
    const refused = "rule" in second ? second : undefined;
    const candidates = this.ruledOut.get(node) ?? 0;
    return { node, primary, secondary: { refusal: refused, candidates } };
  }

  private tryPair(primary: number, first: Lost, secondary: number): void {
    const { cluster } = this.asked;
    const shares = (cluster.peers[secondary] as PeerMap).some(({ node }) => node === primary);
    const second = shares ? this.secondaryOf(secondary, primary) : this.asSecondary.get(secondary);
    if (second === undefined || "rule" in second) {
      this.refuse([primary, secondary], second as Refusal);
      if (!shares) this.ruledOut.set(secondary, (this.ruledOut.get(secondary) ?? 0) + 1);
    } else this.accept(primary, secondary, sumOfLosses(first, second));
  }

  private accept(primary: number, secondary: number, loss: Lost): void {
    this.losses.push({ primary, secondary, measured: { lostAllocations: copyOf(loss) } });
  }

  private refuse(places: readonly number[], refusal: Refusal): void {
    this.counts.add(refusal.rule, 1);
    const { cluster, listMax } = this.asked;
    if (this.refusals.length >= listMax) return;
    this.refusals.push({ nodes: places.map((node) => nodeName(cluster, node)), refusal });
  }

  private secondaryOf(node: number, primary: number): Refusal | Lost {
    const { cluster, instance } = this.asked;
    const refused = secondaryRefusal(cluster, instance, node, primary, { force: false });
    if (refused) return refused;
    const loss = this.search.asSecondary(node, primary);
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
