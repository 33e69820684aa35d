/** Operations for which servers of ours and Ganeti's RAPI differ. */
import type { Cluster } from "../cluster.js";

export type Administration = Pick<
  Cluster,
  | ("submit" | "changePriority" | "archive" | "autoArchive" | "why" | "claims")
  | ("isDrained" | "setDrained" | "watcherPause" | "setWatcherPause" | "renewConfdKey")
> & {
  /** Ends a job, even a running one. */
  kill(id: number): Promise<readonly [done: boolean, message: string]>;
};
