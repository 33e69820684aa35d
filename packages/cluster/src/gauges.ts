/** Gauges: figures of a cluster for monitoring, read on demand. */
import type { Configuration } from "@ganeti-ts/config";
import type { JobQueue } from "@ganeti-ts/job-queue";
import type { LockManager } from "@ganeti-ts/locking";
import { brokenInvariants, type ClaimKind } from "@ganeti-ts/protocol";
import type { Placement } from "./planning/placement.js";
import type { Watcher } from "./watcher/watcher.js";

/** A figure, or one for each value of a label. */
export interface Gauge {
  /** Name in Prometheus's style: `ganeti_jobs`. */
  readonly name: string;
  readonly help: string;
  /** Label whose values are the keys of `read`; empty if there is a single figure. */
  readonly label: string;
  readonly read: () => Promise<Readonly<Record<string, number>>>;
}

export interface Measured {
  readonly queue: JobQueue;
  readonly config: Configuration;
  readonly locks: LockManager;
  readonly placement: Placement;
  /** Undefined if this cluster has no watcher. */
  readonly watcher?: Watcher | undefined;
}

export const gaugesOf = ({
  queue,
  config,
  locks,
  placement,
  watcher,
}: Measured): readonly Gauge[] => [
  ...(watcher === undefined ? [] : [watcherGauge(watcher)]),
  {
    name: "ganeti_invariants_broken_total",
    help: "Faults of this program found by its own checks, each logged with its text; the work at hand was stopped",
    label: "",
    read: async () => ({ total: brokenInvariants() }),
  },
  {
    name: "ganeti_jobs",
    help: "Jobs that are not archived, by status",
    label: "status",
    read: async () => Object.fromEntries((await queue.live()).counts),
  },
  {
    name: "ganeti_locks",
    help: "Locks that jobs hold, those that servers hold all the time, and requests for locks",
    label: "state",
    async read() {
      const rows = await locks.monitor();
      return {
        held: rows.filter(({ owner }) => owner.some(isJob)).length,
        held_by_servers: rows.filter(({ owner }) => owner.some((one) => !isJob(one))).length,
        waited_for: rows.reduce((sum, { pending }) => sum + pending.length, 0),
      };
    },
  },
  {
    name: "ganeti_objects",
    help: "Objects of the configuration",
    label: "type",
    async read() {
      const now = config.snapshot;
      const types = ["node", "group", "instance", "network", "disk"] as const;
      return Object.fromEntries(types.map((type) => [type, now.count(type)]));
    },
  },
  {
    name: "ganeti_claims",
    help: "Claims of running jobs, and of ended ones that left something on nodes, by kind",
    label: "kind",
    async read() {
      const counts: Record<ClaimKind, number> = {
        ...{ creation: 0, commit: 0, space: 0, removal: 0, export: 0, recreation: 0 },
      };
      for (const { kind } of config.snapshot.claims()) counts[kind]++;
      return counts;
    },
  },
  {
    name: "ganeti_config_serial",
    help: "How often the configuration was written",
    label: "",
    read: async () => ({ serial: config.snapshot.serial }),
  },
  {
    name: "ganeti_group_score",
    help: "How balanced a node group is, as hbal computes it: the lower, the better",
    label: "group",
    read: async () => (await placement.figures()).score,
  },
  {
    name: "ganeti_group_n1_slack_mebibytes",
    help: "Memory that the tightest node of a group has left when the worst of its peers dies; negative: N+1 is broken",
    label: "group",
    read: async () => (await placement.figures()).n1SlackMib,
  },
  {
    name: "ganeti_group_n1_failing_nodes",
    help: "Nodes of a group that could not take over the instances they are secondary for",
    label: "group",
    read: async () => (await placement.figures()).n1FailingNodes,
  },
];

/** Jobs own locks under their numbers, servers under names in quotes. */
const isJob = (owner: string): boolean => /^\d+$/.test(owner);

const watcherGauge = (watcher: Watcher): Gauge => ({
  name: "ganeti_watcher",
  help: "The watcher: 1 where this server watches; since the start rounds, restarts, cleanups, disk activations, and instances given up",
  label: "figure",
  async read() {
    const { isWatching, counts } = watcher;
    const { rounds, restarts, cleanups, activations, givenUp } = counts;
    return {
      ...{ watching: Number(isWatching), rounds, restarts, cleanups, activations },
      given_up: givenUp,
    };
  },
});
