/** openShadow: opens a read-only cluster that another program manages. */
import { Allocators } from "@ganeti-ts/allocators";
import { type ConfigStore, Configuration } from "@ganeti-ts/config";
import type { MasterHost, NodeBackend } from "@ganeti-ts/node-calls";
import type { Clock, Random } from "@ganeti-ts/protocol";
import { Events } from "./events/events.js";
import { feedChanges } from "./events/feeds.js";
import type { Gauge } from "./gauges.js";
import { clusterNodes } from "./nodes/cluster-nodes.js";
import { clusterObjects } from "./objects/cluster-objects.js";
import type { Cluster } from "./open-cluster.js";
import { Placement } from "./planning/placement.js";
import { createPlanner } from "./planning/planner.js";
import type { ClusterPorts } from "./ports.js";
import type { ClusterQueue } from "./queue/cluster-queue.js";

/** Ports of `openShadow`. */
interface ShadowPorts extends Pick<ClusterPorts, "architecture" | "turn"> {
  /** Store of the configuration, whose changes become snapshots. Nothing is committed to it. */
  readonly config: ConfigStore;
  /** Back end that must refuse all calls with effects. */
  readonly nodes: NodeBackend;
  readonly masterHost: MasterHost;
  /** Jobs of the other program. Methods with effects must fail. */
  readonly queue: ClusterQueue;
  readonly clock: Clock;
  readonly random: Random;
  readonly gauges?: readonly Gauge[];
}

/** Opens the cluster without running jobs, recovery and watcher. Closing it closes the store of the configuration. */
export async function openShadow(ports: ShadowPorts): Promise<Cluster> {
  const { clock, random, queue } = ports;
  const config = await Configuration.open(ports.config, { clock, random });
  const now = () => config.snapshot;
  const fence = { fence: async () => ({ ok: true, value: null }) as const };
  const { masterHost } = ports;
  const { nodes } = await clusterNodes({ backend: ports.nodes, fence, masterHost }, config);
  const { architecture = ["64bits", "x86_64"] } = ports;
  const reader = {
    query: queue.rows.bind(queue),
    get rules() {
      return queue.rules;
    },
    get settings() {
      return queue.settings;
    },
    // The locks of the other program are not visible.
    locks: async () => [],
  };
  const events = new Events(String(clock.wallMicros()));
  feedChanges(config, events);
  const allocators = new Allocators({ nodes, turn: ports.turn });
  const placement = new Placement(config, allocators, clock);
  const stop = async () => events.close();
  return {
    snapshot: now,
    onChange: (listener) => config.onChange(listener),
    queue,
    events,
    objects: clusterObjects({ config, nodes, masterHost, queue: reader, architecture }),
    planner: createPlanner({ config, allocators, placement, clock, turn: ports.turn }),
    gauges: ports.gauges ?? [],
    copies: undefined,
    lost: new Promise(() => {}),
    stop,
    async close() {
      await stop();
      await ports.config.close();
    },
  };
}
