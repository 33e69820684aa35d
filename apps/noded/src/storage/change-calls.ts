/** Calls that change block devices: growth, renames, tags. */
import { type DiskOnNode, diskText } from "@ganeti-ts/node-calls";
import { NodeFailure } from "../failure.js";
import { handlers } from "../handlers.js";
import type { DiskCache } from "./disk-cache.js";
import { childrenOf, type DiskTypes, foundDevice } from "./disk-types.js";
import { all, attempt } from "./failures.js";

export const changeCalls = (types: DiskTypes, cache: DiskCache) =>
  handlers({
    async blockdev_grow({ disk, ...growth }) {
      await foundDevice(types, disk, "Cannot find block device");
      await attempt("Failed to grow block device", () => types(disk).grow(disk, growth));
    },

    blockdev_rename: ({ renames }) =>
      all(renames, async ({ disk, logicalId }) => {
        const renamed = { ...disk, logical_id: logicalId };
        const device = (await types(disk).find(disk)) ?? (await types(disk).find(renamed));
        if (device === null) throw new NodeFailure(`Can't find device ${diskText(disk)} in rename`);
        await attempt(`Can't rename device '${diskText(disk)}' to '${logicalId.join("/")}'`, () =>
          types(disk).rename(disk, logicalId),
        );
        await cache.forget(device.path);
      }),

    async blockdev_snapshot({ disk, ...wanted }) {
      const source = disk.dev_type === "drbd" ? childrenOf(disk)[0] : disk;
      const id = (one: DiskOnNode): string =>
        `(${one.logical_id.map((part) => `'${part}'`).join(", ")})`;
      if (source === undefined) {
        throw new NodeFailure(
          `DRBD device '${id(disk)}' without backing storage cannot be snapshotted`,
        );
      }
      const type = types(source);
      if (type.snapshot === undefined) {
        throw new NodeFailure(
          `Cannot snapshot block device '${id(source)}' of type '${source.dev_type}'`,
        );
      }
      return type.snapshot(source, wanted);
    },

    async blockdev_setinfo({ disk, info }) {
      await foundDevice(types, disk, "Cannot find block device");
      await attempt("Failed to set information on block device", () =>
        types(disk).setInfo(disk, info),
      );
    },
  });
