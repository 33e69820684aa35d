/** What carries out the opcodes of jobs. */
import type { Configuration } from "@ganeti-ts/config";
import { type Executor, systemClock, systemRandom } from "@ganeti-ts/job-queue";
import { createExecutor, type NodeBackend } from "@ganeti-ts/logical-units";
import { systemResolver } from "./resolver.js";

export const executorOf = (config: Configuration, nodes: NodeBackend): Executor =>
  createExecutor({
    config,
    nodes,
    resolver: systemResolver,
    clock: systemClock,
    random: systemRandom,
  });
