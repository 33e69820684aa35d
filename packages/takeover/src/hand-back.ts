/** handBack: returns the cluster to Ganeti's own daemons, with all changes made since the adoption. */

import type { Cluster } from "@ganeti-ts/cluster";
import type { Snapshot } from "@ganeti-ts/config";
import type { NodeBackend } from "@ganeti-ts/node-calls";
import { readAdopted, writeAdopted } from "./adopted.js";
import { letGo } from "./kept-down.js";
import type { TakeoverLog } from "./log.js";
import { TakeoverError } from "./takeover-error.js";
import { anyCaller } from "./voting.js";

/** Parts that Ganeti's files cannot hold, one line each. O(claims). */
export function lostAtHandBack(now: Snapshot, sizeMax: number | null): readonly string[] {
  const lost: string[] = [];
  const lists = Object.keys(now.cluster.default_iallocators ?? {});
  if (lists.length > 0) lost.push(`lists of allocators by request: ${lists.join(", ")}`);
  const jobs = [...new Set(Array.from(now.claims(), ({ job }) => job))].sort((a, b) => a - b);
  if (jobs.length > 0) lost.push(`resources of nodes that jobs claim: ${jobs.join(", ")}`);
  if (sizeMax !== null) lost.push(`the limit of ${sizeMax} jobs in the queue`);
  return lost;
}

/** The cluster to hand back, and the ports for it. */
export interface HandBackParts {
  readonly cluster: Pick<Cluster, "snapshot" | "queue" | "copies">;
  /** Ends its work and closes its stores. */
  readonly close: () => Promise<void>;
  /** The data directory, and its file about the adoption. */
  readonly directory: { readonly path: string; readonly adopted: string };
  /** For the calls that start Ganeti's daemons. */
  readonly nodes: NodeBackend;
  /** Hands back even if parts are lost. */
  readonly drop: boolean;
  readonly log: TakeoverLog;
}

/**
 * Writes and distributes the final files, and lets Ganeti's daemons start again. The queue must not be running; queued
 * jobs stay queued for Ganeti. @throws TakeoverError with the parts that would be lost, or if another master owns the files
 */
export async function handBack({
  cluster,
  close,
  directory,
  nodes,
  drop,
  log,
}: HandBackParts): Promise<void> {
  const adopted = readAdopted(directory.adopted);
  if (adopted?.state !== "adopted")
    throw new TakeoverError(`${directory.path} holds no adopted cluster`);
  const lost = lostAtHandBack(cluster.snapshot(), cluster.queue.settings.sizeMax);
  if (lost.length > 0 && !drop) {
    throw new TakeoverError(
      `Ganeti cannot hold these parts; --drop hands the cluster back without them:\n${lost.map((text) => `  ${text}`).join("\n")}`,
    );
  }
  for (const part of lost) log.warn({ part }, "not handed back");
  const missed = (await cluster.copies?.flush({ everything: true })) ?? [];
  for (const miss of missed) log.warn({ ...miss }, "the node does not have the last copies");
  const { halted } = cluster.copies ?? {};
  if (halted !== undefined) throw new TakeoverError(`another master has the cluster: ${halted}`);
  const { master_node: master } = cluster.snapshot().cluster;
  await close();
  await letGo(adopted.site);
  writeAdopted(directory.adopted, { ...adopted, state: "handed back" });
  const started = await nodes.call(
    master,
    "node_start_master_daemons",
    { noVoting: false },
    anyCaller,
  );
  if (started.ok) log.info({}, "handed back; Ganeti's daemons are starting");
  else {
    log.warn(
      { problem: started.message },
      "handed back, but Ganeti's daemons did not start: start them with daemon-util start-master",
    );
  }
}
