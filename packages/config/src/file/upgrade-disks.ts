/** Upgrade of disks, which were parts of their instances, with other names. */
import type { Random } from "@ganeti-ts/protocol";
import { ConfigError } from "../config-error.js";
import { randomUuid } from "../uuid.js";
import { isRaw, type Raw, rawIn, rawList, rawsIn } from "./raw.js";

const newTypes: Readonly<Record<string, string>> = { lvm: "plain", drbd8: "drbd" };

/** Nodes must already be identified by UUID. */
export function upgradeDisks(file: Raw, random: Random): void {
  const disks = rawIn(file, "disks");
  for (const instance of rawsIn(file, "instances")) {
    const inside = rawList(instance, "disks");
    checkDisks(instance, inside.length);
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

/** A disk in another form would be lost. */
function checkDisks({ name, disks }: Raw, insideCount: number): void {
  if (!Array.isArray(disks)) {
    throw new ConfigError("wrong_input", `Instance '${name}' doesn't have a disks entry?!`);
  }
  const isMixed = insideCount > 0 && insideCount < disks.length;
  if (isMixed || (insideCount === 0 && disks.some((one) => typeof one !== "string"))) {
    throw new ConfigError("wrong_input", `Instance '${name}' has a disk that is not a dictionary`);
  }
}

function modernize(disk: Raw, random: Random): void {
  delete disk.physical_id;
  disk.uuid ??= randomUuid(random);
  disk.dev_type = newTypes[String(disk.dev_type)] ?? disk.dev_type;
  for (const child of rawList(disk, "children")) modernize(child, random);
}

/** Adds the nodes of disks, which old versions did not store. */
function placeDisks(instance: Raw, all: Raw): void {
  const uuids = Array.isArray(instance.disks) ? instance.disks : [];
  const disks = uuids.map((uuid) => all[String(uuid)]).filter(isRaw);
  const mirrored = disks.flatMap(({ dev_type, logical_id }) =>
    dev_type === "drbd" && Array.isArray(logical_id) ? logical_id.slice(0, 2) : [],
  );
  const local = [...new Set([...mirrored, instance.primary_node])];
  for (const disk of disks) {
    if (disk.nodes !== undefined) continue;
    const isLocal = ["drbd", "plain", "file"].includes(String(disk.dev_type));
    disk.nodes = isLocal ? local : [];
    for (const child of rawList(disk, "children")) child.nodes = disk.nodes;
  }
}
