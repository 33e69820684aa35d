/** Upgrade of disks, which were parts of their instances, with other names. */
import type { Random } from "@ganeti-ts/protocol";
import { randomUuid } from "../uuid.js";
import { isRaw, type Raw, rawIn, rawList, rawsIn } from "./raw.js";

const newTypes: Readonly<Record<string, string>> = { lvm: "plain", drbd8: "drbd" };

/** Nodes must already be identified by UUID. */
export function upgradeDisks(file: Raw, random: Random): void {
  const disks = rawIn(file, "disks");
  for (const instance of rawsIn(file, "instances")) {
    const inside = rawList(instance, "disks");
    for (const [at, disk] of inside.entries()) {
      modernize(disk, random);
      disk.iv_name = `disk/${at}`;
      disk.serial_no = 1;
      disk.ctime = instance.ctime ?? 0;
      disk.mtime = disk.ctime;
      disks[String(disk.uuid)] = disk;
    }
    if (inside.length > 0) instance.disks = inside.map(({ uuid }) => uuid);
    // Reservations may have one that no disk tells yet.
    if (instance.forthcoming !== true) delete instance.disk_template;
    placeDisks(instance, disks);
  }
  for (const disk of rawsIn(file, "disks")) modernize(disk, random);
}

function modernize(disk: Raw, random: Random): void {
  delete disk.physical_id;
  disk.uuid ??= randomUuid(random);
  disk.dev_type = newTypes[String(disk.dev_type)] ?? disk.dev_type;
  for (const child of rawList(disk, "children")) modernize(child, random);
}

/** Adds the nodes of a disk, which old versions did not store. */
function placeDisks(instance: Raw, disks: Raw): void {
  const uuids = Array.isArray(instance.disks) ? instance.disks : [];
  for (const uuid of uuids) {
    const disk = disks[String(uuid)];
    if (!isRaw(disk) || disk.nodes !== undefined) continue;
    const nodes = nodesOf(disk, instance.primary_node);
    disk.nodes = nodes;
    for (const child of rawList(disk, "children")) child.nodes = nodes;
  }
}

function nodesOf({ dev_type, logical_id }: Raw, primary: unknown): readonly unknown[] {
  if (dev_type === "drbd" && Array.isArray(logical_id)) return logical_id.slice(0, 2);
  return dev_type === "plain" || dev_type === "file" ? [primary] : [];
}
