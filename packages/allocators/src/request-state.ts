/** Cluster and request as the placement core gets them, fixed at the time of the request. */
import type { KeptCluster } from "@ganeti-ts/htools";
import type { AllocatorRequest, InstanceUuid } from "@ganeti-ts/protocol";
import type { ClusterEntries } from "./entries.js";
import type { KeptEntries } from "./kept-entries.js";
import { indexOf, requestData } from "./message.js";
import type { RequestEntry } from "./requests.js";

export interface RequestState {
  readonly kept: Pick<KeptCluster, "cluster" | "data">;
  readonly request: AllocatorRequest;
  /** For messages to programs. O(nodes + instances). */
  readonly entries: () => ClusterEntries;
}

/** @param without entries to leave out; costs O(nodes + instances) if there are any */
export function requestState(
  all: KeptEntries,
  request: RequestEntry,
  without: ReadonlySet<InstanceUuid> = new Set(),
): RequestState {
  const removed = [...without].flatMap((uuid) => all.positionOf(uuid) ?? []);
  const { cluster, positions } = all;
  if (removed.length === 0) {
    return { kept: cluster, request: requestData(request, positions), entries: all.entriesLater() };
  }
  const left = new Set(removed);
  const entries = all.entriesLater()();
  const instances = entries.instances.filter((_, index) => !left.has(index));
  const indices = indexOf(instances);
  const ofInstance = (name: string) => indices.get(name);
  return {
    kept: cluster.branch().withChange({ removed }),
    request: requestData(request, { ...positions, ofInstance }),
    entries: () => ({ ...entries, instances }),
  };
}
