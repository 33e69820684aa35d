/** Disks of a starting instance: finds and opens them, and creates links with the name of the instance. */
import { diskText, type InstanceOnNode } from "@ganeti-ts/node-calls";
import { NodeFailure } from "../failure.js";
import type { DiskLinks } from "../storage/disk-links.js";
import type { DiskTypes } from "../storage/disk-types.js";
import type { AttachedDisk } from "./hypervisor.js";

export interface InstanceDisks {
  /** Rejects if one of them has no device; the caller has assembled them before. */
  attach(instance: InstanceOnNode): Promise<readonly AttachedDisk[]>;
  /** Removes the links. */
  detach(instance: InstanceOnNode): Promise<void>;
}

export const instanceDisks = (types: DiskTypes, links: DiskLinks): InstanceDisks => ({
  async attach({ name, disks }) {
    const attached: AttachedDisk[] = [];
    for (const [index, disk] of disks.entries()) {
      const device = await types(disk).find(disk);
      if (device === null) {
        throw new NodeFailure(`Block device '${diskText(disk)}' is not set up.`);
      }
      await types(disk).open(disk, { force: false, exclusive: true });
      const { path, uri } = device;
      attached.push({ disk, link: path && (await links.make(name, index, path)), uri });
    }
    return attached;
  },
  async detach({ name, disks }) {
    for (const index of disks.keys()) await links.remove(name, index);
  },
});
