/** Places of disks and NICs on the buses of an instance. */
import type { InstanceOnNode } from "@ganeti-ts/node-calls";
import { NodeFailure } from "../../failure.js";
import type { HvParams } from "../hypervisor.js";
import { count, isOnScsiController, text } from "./parameters.js";

/** Driver, id and place of a device; the order of the keys is that of the command line. */
export type DevicePlace = Readonly<Record<string, string | number>>;

const pciSlots = 32;
const scsiIds = 16;
const pciBus = "pci.0";
const scsiBus = "scsi.0";

/** `disk-12345678-1234-1234`: short enough for all uses, and the same on every node. */
const deviceId = (kind: "disk" | "nic", uuid: string): string =>
  `${kind}-${uuid.split("-").slice(0, 3).join("-")}`;

const placesTaken = (places: readonly DevicePlace[], bus: string, key: string): Set<number> =>
  new Set(places.filter((place) => place.bus === bus).map((place) => Number(place[key])));

function lowestFree(taken: ReadonlySet<number>, limit: number): number {
  for (let slot = 0; slot < limit; slot++) if (!taken.has(slot)) return slot;
  throw new NodeFailure("All slots occupied");
}

/** Free place for one more device in addition to `others`. */
export function placeDevice(
  kind: "disk" | "nic",
  uuid: string,
  hvparams: HvParams,
  others: readonly DevicePlace[],
): DevicePlace {
  const type = text(hvparams, kind === "disk" ? "disk_type" : "nic_type");
  const id = deviceId(kind, uuid);
  if (kind === "disk" && isOnScsiController(type)) {
    const free = lowestFree(placesTaken(others, scsiBus, "scsi-id"), scsiIds);
    return { driver: type, id, bus: scsiBus, channel: 0, "scsi-id": free, lun: 0 };
  }
  const taken = placesTaken(others, pciBus, "addr");
  for (let slot = 0; slot < count(hvparams, "kvm_pci_reservations", 12); slot++) taken.add(slot);
  const addr = `0x${lowestFree(taken, pciSlots).toString(16)}`;
  const virtio = kind === "disk" ? "virtio-blk-pci" : "virtio-net-pci";
  return { driver: type === "paravirtual" ? virtio : type, id, bus: pciBus, addr };
}

/** Places of all devices of an instance: disks first. */
export function placeDevices({
  disks,
  nics,
  hvparams,
}: Pick<InstanceOnNode, "disks" | "nics" | "hvparams">): {
  readonly disks: readonly DevicePlace[];
  readonly nics: readonly DevicePlace[];
} {
  const places: DevicePlace[] = [];
  for (const { uuid } of disks) places.push(placeDevice("disk", uuid, hvparams, places));
  for (const { uuid } of nics) places.push(placeDevice("nic", uuid, hvparams, places));
  return { disks: places.slice(0, disks.length), nics: places.slice(disks.length) };
}

/** The value of `-device`: the driver, then all other properties as `key=value`. */
export function deviceWord({ driver, ...rest }: DevicePlace): string {
  return [driver, ...Object.entries(rest).map(([key, value]) => `${key}=${value}`)].join(",");
}
