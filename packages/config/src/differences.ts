/** Changes between two snapshots, computed by comparison. */
import { type ConfigChange, objectTypes, putCluster } from "./objects.js";
import type { Snapshot } from "./snapshot.js";

/** Compares serial numbers; O(n). */
export function differences(before: Snapshot, after: Snapshot): readonly ConfigChange[] {
  const changes: ConfigChange[] = [];
  if (before.cluster.serial_no !== after.cluster.serial_no) {
    changes.push(putCluster(after.cluster));
  }
  for (const type of objectTypes) {
    for (const object of after.all(type)) {
      const old = before.get(type, object.uuid);
      if (old === undefined || old.serial_no !== object.serial_no || old.mtime !== object.mtime) {
        changes.push({ kind: "put", type, object } as ConfigChange);
      }
    }
    for (const { uuid } of before.all(type)) {
      if (after.get(type, uuid) === undefined) changes.push({ kind: "remove", type, uuid });
    }
  }
  return changes;
}
