/** What carries out the opcodes of jobs. */

import type { Allocators } from "@ganeti-ts/allocators";
import type { QueueReader } from "@ganeti-ts/cluster-queries";
import type { Configuration } from "@ganeti-ts/config";
import type { Executor } from "@ganeti-ts/job-queue";
import { createExecutor } from "@ganeti-ts/logical-units";
import { systemClock, systemRandom } from "@ganeti-ts/protocol";
import type { ClusterNodes } from "./nodes.js";
import { simulatedResolver } from "./resolver.js";

export const executorOf = (
  config: Configuration,
  { nodes, masterHost }: Pick<ClusterNodes, "nodes" | "masterHost">,
  allocators: Allocators,
  queue?: QueueReader,
): Executor =>
  createExecutor({
    ...{ config, nodes, masterHost, allocators, queue },
    resolver: simulatedResolver(
      () => config.snapshot.cluster.cluster_name,
      (name) => config.snapshot.findNode(name),
    ),
    ...{ clock: systemClock, random: systemRandom },
  });
