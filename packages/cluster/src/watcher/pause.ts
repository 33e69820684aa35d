/** pausedUntil: reads the pause of the watcher, which the master node stores. */
import type { Snapshot } from "@ganeti-ts/config";
import type { NodeBackend } from "@ganeti-ts/node-calls";
import { nobody } from "../nodes/asking-nodes.js";

/** End of the pause in seconds since the epoch; null: no pause. If the master does not answer, its last answer is used. */
export function pausedUntil(nodes: NodeBackend, now: () => Snapshot): () => Promise<number | null> {
  let last: number | null = null;
  return async () => {
    const { master_node: master } = now().cluster;
    const answer = await nodes.call(master, "get_watcher_pause", {}, nobody);
    if (answer.ok) last = answer.value;
    return last;
  };
}
