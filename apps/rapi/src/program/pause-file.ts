/**
 * File in which Ganeti's watcher looks for its pause, in addition to the pause stored by the master
 * node.
 */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Cluster, ClusterObjects } from "@ganeti-ts/cluster";

/** Seconds since the epoch until which the watcher is paused; null removes the file. */
export function writePauseFile(folder: string, until: number | null): void {
  const file = join(folder, "watcher.pause");
  if (until === null) rmSync(file, { force: true });
  else writeFileSync(file, `${Math.floor(until)}\n`, { mode: 0o644 });
}

/** The cluster, which also writes each new pause to the file. */
export function withPauseFile(cluster: Cluster, folder: string): Cluster {
  const objects: ClusterObjects = {
    ...cluster.objects,
    async pauseWatcher(until) {
      const answer = await cluster.objects.pauseWatcher(until);
      if (answer.ok) writePauseFile(folder, until);
      return answer;
    },
  };
  return { ...cluster, objects };
}
