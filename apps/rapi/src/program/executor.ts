/** What carries out the opcodes of jobs. */
import type { Configuration } from "@ganeti-ts/config";
import { type Executor, systemClock, systemRandom } from "@ganeti-ts/job-queue";
import {
  type Allocators,
  createExecutor,
  type NodeBackend,
  type QueueReader,
} from "@ganeti-ts/logical-units";
import { simulatedResolver } from "./resolver.js";

export const executorOf = (
  config: Configuration,
  nodes: NodeBackend,
  allocators: Allocators,
  queue?: QueueReader,
): Executor =>
  createExecutor({
    ...{ config, nodes, allocators, queue },
    resolver: simulatedResolver(
      () => config.snapshot.cluster.cluster_name,
      (name) => config.snapshot.findNode(name),
    ),
    ...{ clock: systemClock, random: systemRandom },
  });
