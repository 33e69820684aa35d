/** What carries out the opcodes of jobs. */
import type { Configuration } from "@ganeti-ts/config";
import { type Executor, systemClock, systemRandom } from "@ganeti-ts/job-queue";
import { Allocators, createExecutor, type NodeBackend } from "@ganeti-ts/logical-units";
import { allocatorPrograms } from "@ganeti-ts/logical-units/machine";
import { systemResolver } from "./resolver.js";

/** Where Ganeti looks for allocators. */
const allocatorSearchPath = ["/usr/lib/ganeti/iallocators"];

export const executorOf = (
  config: Configuration,
  nodes: NodeBackend,
  searchPath: readonly string[] = allocatorSearchPath,
): Executor =>
  createExecutor({
    config,
    nodes,
    allocators: new Allocators({ nodes, runner: allocatorPrograms({ searchPath }) }),
    resolver: systemResolver,
    clock: systemClock,
    random: systemRandom,
  });
