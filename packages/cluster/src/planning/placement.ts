/**
 * Figures of the placement core about each node group: how well its instances are placed. They are computed
 * when somebody asks: once for each configuration, and again when what the nodes have said (memory, load) is old.
 */

import type { Allocators } from "@ganeti-ts/allocators";
import type { Configuration, Snapshot } from "@ganeti-ts/config";
import { type Cluster, loadCluster, nodeFigures, scoreOf } from "@ganeti-ts/htools";
import type { Timers } from "@ganeti-ts/protocol";
import { nobody } from "../nodes/asking-nodes.js";

/** By the names of groups; those without a node that is online are left out. */
export interface PlacementFigures {
  /** As hbal computes it: the lower, the better balanced. */
  readonly score: Readonly<Record<string, number>>;
  /**
   * MiB that the node with the least has left when the node dies whose instances need the most memory
   * on it: memory that is not allocated, less what is kept for that. Negative: N+1 is broken.
   */
  readonly n1SlackMib: Readonly<Record<string, number>>;
  /** Nodes on which N+1 is broken. */
  readonly n1FailingNodes: Readonly<Record<string, number>>;
}

/** So long, in ms, what the nodes have said is good enough. */
const usualAgeMs = 30_000;

/** Looking again at the same configuration takes at most one part in so many of the time. */
const restFactor = 20;

export interface Patience {
  /** Who asks waits no longer, in ms, for figures that are newer than those known. */
  readonly waitMs?: number;
  readonly ageMs?: number;
}

const nothingKnown: PlacementFigures = { score: {}, n1SlackMib: {}, n1FailingNodes: {} };

export class Placement {
  readonly #config: Pick<Configuration, "snapshot">;
  readonly #allocators: Pick<Allocators, "cluster">;
  readonly #clock: Timers;
  readonly #waitMs: number;
  readonly #ageMs: number;
  #latest: PlacementFigures = nothingKnown;
  /** Of the snapshot that is being looked at, or was last; and until when that is good for it. */
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
   * Of the newest configuration, or, where that takes long or fails, those known before. One at a time
   * is computed. Cost: O(nodes + instances), and one question to each node; of a configuration that stays,
   * every 30 s at most, and no more than a twentieth of the time.
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
    // Meanwhile there may be a newer one, for which somebody waits already.
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
      // Nodes that do not answer are told of elsewhere; the next who asks tries again.
      this.#work = undefined;
    }
  }

  #othersTurn(): Promise<void> {
    return new Promise((resolve) => void this.#clock.after(0, resolve));
  }
}

function figuresOf(cluster: Cluster): PlacementFigures {
  const score: Record<string, number> = {};
  const n1SlackMib: Record<string, number> = {};
  const n1FailingNodes: Record<string, number> = {};
  cluster.data.groups.forEach(({ name }, group) => {
    const members = cluster.nodesByGroup[group] ?? [];
    const online = members
      .map((node) => nodeFigures(cluster, node))
      .filter(({ offline }) => !offline);
    if (online.length === 0) return;
    score[name] = scoreOf(cluster, members);
    n1SlackMib[name] = online.reduce(
      (least, { memoryUnallocatedMib, memoryReservedMib }) =>
        Math.min(least, memoryUnallocatedMib - memoryReservedMib),
      Infinity,
    );
    n1FailingNodes[name] = online.filter(({ failsN1 }) => failsN1).length;
  });
  return { score, n1SlackMib, n1FailingNodes };
}
