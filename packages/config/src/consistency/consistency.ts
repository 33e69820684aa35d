/** Consistency checks of a whole configuration. */
import type { NodeUuid } from "@ganeti-ts/protocol";
import type { ConfigChange } from "../objects.js";
import type { Snapshot } from "../snapshot.js";
import { candidateFaults, clusterFaults } from "./cluster-faults.js";
import {
  claimFaults,
  diskFaults,
  groupFaults,
  instanceFaults,
  networkFaults,
  nodeFaults,
} from "./object-faults.js";

/** All faults, in Ganeti's words for its own checks; empty if it is consistent. O(n log n). */
export function consistencyFaults(now: Snapshot): readonly string[] {
  const faults = new Set<string>([...clusterFaults(now), ...candidateFaults(now)]);
  const add = (found: readonly string[]) => {
    for (const fault of found) faults.add(fault);
  };
  for (const node of now.nodes()) add(nodeFaults(now, node));
  for (const group of now.groups()) add(groupFaults(now, group));
  for (const network of now.networks()) add(networkFaults(now, network));
  for (const disk of now.disks()) add(diskFaults(now, disk));
  for (const instance of now.instances()) add(instanceFaults(now, instance));
  for (const claim of now.claims()) add(claimFaults(now, claim));
  return [...faults];
}

/**
 * Faults of objects in `changes`, and of objects that refer to them, after applying these to `before`.
 * O(changes * log n); plus O(free ports) if a node or the cluster is among them, and O(nodes) if that may change the
 * number of master candidates, or how many there should be.
 */
export function faultsOfChanges(
  before: Snapshot,
  after: Snapshot,
  changes: readonly ConfigChange[],
): readonly string[] {
  const touched = { node: new Set<string>(), disk: new Set<string>(), instance: new Set<string>() };
  const faults = new Set<string>();
  const add = (found: readonly string[]) => {
    for (const fault of found) faults.add(fault);
  };
  const instancesOf = (kind: string, uuid: string) => {
    for (const owner of after.keysOf(kind, uuid)) touched.instance.add(owner);
  };
  let aboutNodes = false;
  let aboutCluster = false;
  for (const change of changes) {
    if (change.kind === "cluster") {
      aboutCluster = true;
      continue;
    }
    const uuid = change.kind === "put" ? change.object.uuid : change.uuid;
    switch (change.type) {
      case "node":
        aboutNodes = true;
        touched.node.add(uuid);
        if (change.kind === "remove") {
          instancesOf("primary", uuid);
          instancesOf("secondary", uuid);
          for (const claim of after.claimsOfNode(change.uuid as NodeUuid)) {
            add(claimFaults(after, claim));
          }
        }
        break;
      case "group":
        if (change.kind === "put") add(groupFaults(after, change.object));
        else for (const node of after.keysOf("member", uuid)) touched.node.add(node);
        break;
      case "disk":
        touched.disk.add(uuid);
        instancesOf("attached", uuid);
        break;
      case "instance":
        touched.instance.add(uuid);
        break;
      case "network":
        if (change.kind === "put") add(networkFaults(after, change.object));
        break;
      case "claim":
        if (change.kind === "put") add(claimFaults(after, change.object));
        break;
    }
  }
  if (aboutCluster || aboutNodes) add(clusterFaults(after, before));
  const sizes = [before, after].map(({ cluster }) => cluster.candidate_pool_size);
  if (aboutNodes || sizes[0] !== sizes[1]) add(candidateFaults(after));
  for (const uuid of touched.node) {
    const node = after.get("node", uuid);
    if (node !== undefined) add(nodeFaults(after, node));
  }
  for (const uuid of touched.disk) {
    const disk = after.get("disk", uuid);
    if (disk !== undefined) add(diskFaults(after, disk));
  }
  for (const uuid of touched.instance) {
    const instance = after.get("instance", uuid);
    if (instance !== undefined) add(instanceFaults(after, instance));
  }
  return [...faults];
}
