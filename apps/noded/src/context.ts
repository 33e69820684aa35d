/** NodeContext: everything outside the daemon that the code of calls uses. */
import type { Clock, Random } from "@ganeti-ts/protocol";
import type { NodePaths } from "./machine/paths.js";
import type { Runner } from "./machine/runner.js";

export interface DaemonLog {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** Ports of one node daemon; every area gets this and nothing else. */
export interface NodeContext {
  readonly run: Runner;
  readonly paths: NodePaths;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: DaemonLog;
  /** Name of this node in the cluster. */
  readonly nodeName: string;
  /** Lines of an ssconf file (`master_node`, `cluster_name`, …); throws NodeFailure if it is missing. */
  ssconf(key: string): Promise<readonly string[]>;
}
