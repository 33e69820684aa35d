/** Until when the watcher is paused, as the master node keeps it. */
import type { Snapshot } from "@ganeti-ts/config";
import type { NodeBackend } from "@ganeti-ts/node-calls";
import { nobody } from "../nodes/asking-nodes.js";

/** While the master does not answer, its last answer holds. Seconds since the epoch; null: no pause. */
export function pausedUntil(nodes: NodeBackend, now: () => Snapshot): () => Promise<number | null> {
  let last: number | null = null;
  return async () => {
    const { master_node: master } = now().cluster;
    const answer = await nodes.call(master, "get_watcher_pause", {}, nobody);
    if (answer.ok) last = answer.value;
    return last;
  };
}
