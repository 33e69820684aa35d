/** Figures that are looked up when somebody asks for metrics. */
import type { Configuration } from "@ganeti-ts/config";
import type { JobQueue } from "@ganeti-ts/job-queue";
import type { LockManager } from "@ganeti-ts/locking";
import type { Gates } from "../http/gate.js";
import type { LogFigures } from "../log-destination.js";
import type { Metrics } from "../metrics.js";
import type { Placement } from "../placement.js";

export interface Measured {
  readonly queue: JobQueue;
  readonly config: Configuration;
  readonly locks: LockManager;
  readonly placement: Placement;
  readonly gates: Gates;
}

export function gauges(
  metrics: Metrics,
  { queue, config, locks, placement, gates }: Measured,
): void {
  metrics.gauge(
    "ganeti_rapi_requests",
    "Requests that are worked on, that wait for a place, and whose client has gone while they go on",
    "state",
    async () => {
      const [port, socket] = [gates.port.figures(), gates.socket.figures()];
      return {
        running: port.running + socket.running,
        waiting: port.waiting + socket.waiting,
        abandoned: port.abandoned + socket.abandoned,
      };
    },
  );
  metrics.gauge("ganeti_jobs", "Jobs that are not archived, by status", "status", async () => {
    return Object.fromEntries((await queue.live()).counts);
  });
  metrics.gauge(
    "ganeti_locks",
    "Locks that are held, and requests for locks",
    "state",
    async () => {
      const rows = await locks.monitor();
      return {
        held: rows.filter(({ owner }) => owner.length > 0).length,
        waited_for: rows.reduce((sum, { pending }) => sum + pending.length, 0),
      };
    },
  );
  metrics.gauge("ganeti_objects", "Objects of the configuration", "type", async () => {
    const now = config.snapshot;
    return {
      node: now.count("node"),
      group: now.count("group"),
      instance: now.count("instance"),
      network: now.count("network"),
      disk: now.count("disk"),
    };
  });
  metrics.gauge(
    "ganeti_config_serial",
    "How often the configuration was written",
    "",
    async () => ({
      serial: config.snapshot.serial,
    }),
  );
  metrics.gauge(
    "ganeti_group_score",
    "How balanced a node group is, as hbal computes it: the lower, the better",
    "group",
    async () => (await placement.figures()).score,
  );
  metrics.gauge(
    "ganeti_group_n1_slack_mebibytes",
    "Memory that the tightest node of a group has left when the worst of its peers dies; negative: N+1 is broken",
    "group",
    async () => (await placement.figures()).n1SlackMib,
  );
  metrics.gauge(
    "ganeti_group_n1_failing_nodes",
    "Nodes of a group that could not take over the instances they are secondary for",
    "group",
    async () => (await placement.figures()).n1FailingNodes,
  );
}

/** Lines of the log that were dropped since the start, and that wait to be written: above zero where the log is full or stuck. */
export function logGauge(metrics: Metrics, figures: () => LogFigures): void {
  metrics.gauge(
    "ganeti_log_lines",
    "Lines of the log that were dropped since the start, and that wait to be written",
    "state",
    async () => ({ ...figures() }),
  );
}
