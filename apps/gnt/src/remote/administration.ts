/** What a server of ours does and Ganeti's RAPI not at all, or in another way. */
import type { Cluster } from "../cluster.js";

export type Administration = Pick<
  Cluster,
  | ("submit" | "changePriority" | "archive" | "autoArchive" | "why")
  | ("isDrained" | "setDrained" | "watcherPause" | "setWatcherPause" | "renewConfdKey")
> & {
  /** Ends a job even if it is running. */
  kill(id: number): Promise<readonly [done: boolean, message: string]>;
};
