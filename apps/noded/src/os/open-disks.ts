/** openDisksOf: opens the disks of an instance for its scripts. */
import { diskText } from "@ganeti-ts/node-calls";
import { NodeFailure } from "../failure.js";
import type { DiskTypes } from "../storage/disk-types.js";
import type { ScriptDevice } from "./environment.js";
import type { OpenDisks } from "./os-scripts.js";

/** Opens each disk for writing, which makes a mirror primary on this node. */
export const openDisksOf =
  (types: DiskTypes): OpenDisks =>
  async (disks) => {
    const devices: ScriptDevice[] = [];
    for (const disk of disks) {
      const type = types(disk);
      const device = await type.find(disk);
      if (device === null) throw new NodeFailure(`Block device '${diskText(disk)}' is not set up`);
      await type.open(disk, { force: false, exclusive: true });
      devices.push({ path: device.path, uri: device.uri });
    }
    return devices;
  };
