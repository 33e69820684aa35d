/** Consistency checks of a disk. */
import type { DiskObject } from "@ganeti-ts/protocol";
import type { Snapshot } from "../snapshot.js";
import { highestPortFaults, minorFaults, portFaults, volumeFaults } from "./uniqueness.js";

export function diskFaults(now: Snapshot, disk: DiskObject): readonly string[] {
  const faults: string[] = [];
  for (const child of disk.children) {
    if ((child.forthcoming === true) !== (disk.forthcoming === true)) {
      faults.push(`Disk '${disk.uuid}' and its child '${child.uuid}' are not both forthcoming`);
    }
  }
  if (disk.dev_type === "drbd" && disk.logical_id !== undefined) {
    const [nodeA, nodeB, port, minorA, minorB] = disk.logical_id;
    faults.push(...minorFaults(now, nodeA, minorA), ...minorFaults(now, nodeB, minorB));
    if (typeof port === "number") {
      faults.push(...portFaults(now, port), ...highestPortFaults(now, [port]));
    }
  }
  for (const part of [disk, ...disk.children]) {
    if (part.dev_type !== "plain" || part.logical_id === undefined) continue;
    for (const node of part.nodes) {
      faults.push(...volumeFaults(now, node, part.logical_id.join("/")));
    }
  }
  return faults;
}
