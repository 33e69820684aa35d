/**
 * Placement figures of each node group: balance and N+1. They are computed on demand, once for each
 * configuration, and again when the nodes' figures (memory, load) are old.
 */

import type { Allocators } from "@ganeti-ts/allocators";
import type { Configuration, Snapshot } from "@ganeti-ts/config";
import { type Cluster, loadCluster, metricsOf, nodeFigures, scoreOf } from "@ganeti-ts/htools";
import type { Timers } from "@ganeti-ts/protocol";
import { nobody } from "../nodes/asking-nodes.js";
import { type NodeLoad, nodeLoad } from "./node-load.js";

/** Figures by group name; groups without an online node are omitted. */
export interface PlacementFigures {
  /** Score as in hbal; a lower score is better. */
  readonly score: Readonly<Record<string, number>>;
  /** Weighted terms of the score, by name; their sum is the score. */
  readonly terms: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /**
   * MiB left on the most loaded node after the death of the node whose instances need the most
   * memory there: unallocated memory minus the reserve for that failure. Negative if N+1 is
   * violated.
   */
  readonly n1SlackMib: Readonly<Record<string, number>>;
  /** Number of nodes that violate N+1. */
  readonly n1FailingNodes: Readonly<Record<string, number>>;
  /** Nodes in the order of the configuration. */
  readonly nodes: readonly NodeLoad[];
}

/** Maximum age (ms) of the nodes' figures. */
const usualAgeMs = 30_000;

/**
 * Repeated computations for the same configuration take at most this fraction of the time (its
 * inverse).
 */
const restFactor = 20;

export interface Patience {
  /** Maximum time (ms) a caller waits for fresh figures before getting the cached ones. */
  readonly waitMs?: number;
  readonly ageMs?: number;
}

const nothingKnown: PlacementFigures = {
  ...{ score: {}, terms: {}, n1SlackMib: {}, n1FailingNodes: {} },
  nodes: [],
};

export class Placement {
  readonly #config: Pick<Configuration, "snapshot">;
  readonly #allocators: Pick<Allocators, "cluster">;
  readonly #clock: Timers;
  readonly #waitMs: number;
  readonly #ageMs: number;
  #latest: PlacementFigures = nothingKnown;
  /** Current or last computation, with its snapshot and the end of its validity. */
  #work: { readonly now: Snapshot; readonly done: Promise<void>; until: number } | undefined;

  constructor(
    config: Pick<Configuration, "snapshot">,
    allocators: Pick<Allocators, "cluster">,
    clock: Timers,
    { waitMs = 1000, ageMs = usualAgeMs }: Patience = {},
  ) {
    this.#config = config;
    this.#allocators = allocators;
    this.#clock = clock;
    this.#waitMs = waitMs;
    this.#ageMs = ageMs;
  }

  /**
   * Figures of the newest configuration or, if their computation is slow or fails, the previous
   * ones. One computation runs at a time. Cost: O(nodes + instances), and one call to each node;
   * for an unchanged configuration, every 30 s at most and no more than a twentieth of the time.
   */
  async figures(): Promise<PlacementFigures> {
    const now = this.#config.snapshot;
    if (this.#work?.now !== now || this.#clock.now() >= this.#work.until) {
      const before = this.#work?.done ?? Promise.resolve();
      this.#work = { now, done: before.then(() => this.#compute(now)), until: Infinity };
    }
    let stopTimer = () => {};
    const enough = new Promise<void>((resolve) => {
      stopTimer = this.#clock.after(this.#waitMs, resolve);
    });
    await Promise.race([this.#work.done, enough]);
    stopTimer();
    return this.#latest;
  }

  async #compute(now: Snapshot): Promise<void> {
    // A caller with a newer configuration may have replaced this computation meanwhile.
    if (this.#work?.now !== now) return;
    const start = this.#clock.now();
    try {
      const data = await this.#allocators.cluster({ now, caller: nobody });
      await this.#othersTurn();
      const cluster = loadCluster(data);
      await this.#othersTurn();
      this.#latest = figuresOf(cluster);
      const end = this.#clock.now();
      const rest = Math.max(this.#ageMs, (end - start) * restFactor);
      if (this.#work.now === now) this.#work.until = end + rest;
    } catch {
      // Node failures are reported elsewhere; the next caller tries again.
      this.#work = undefined;
    }
  }

  #othersTurn(): Promise<void> {
    return new Promise((resolve) => void this.#clock.after(0, resolve));
  }
}

function figuresOf(cluster: Cluster): PlacementFigures {
  const score: Record<string, number> = {};
  const terms: Record<string, Readonly<Record<string, number>>> = {};
  const n1SlackMib: Record<string, number> = {};
  const n1FailingNodes: Record<string, number> = {};
  cluster.data.groups.forEach(({ name }, group) => {
    const members = cluster.nodesByGroup[group] ?? [];
    const online = members
      .map((node) => nodeFigures(cluster, node))
      .filter(({ offline }) => !offline);
    if (online.length === 0) return;
    score[name] = scoreOf(cluster, members);
    terms[name] = Object.fromEntries(
      metricsOf(cluster, members).map(({ component, value }) => [
        component.name,
        component.weight * value,
      ]),
    );
    n1SlackMib[name] = online.reduce(
      (least, { memoryUnallocatedMib, memoryReservedMib }) =>
        Math.min(least, memoryUnallocatedMib - memoryReservedMib),
      Infinity,
    );
    n1FailingNodes[name] = online.filter(({ failsN1 }) => failsN1).length;
  });
  const nodes = cluster.data.nodes.map((_, node) => nodeLoad(cluster, node));
  return { score, terms, n1SlackMib, n1FailingNodes, nodes };
}
