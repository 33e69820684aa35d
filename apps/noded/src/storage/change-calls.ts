/** Calls that change block devices: size, name, content, marks. */
import { type DiskCalls, type DiskOnNode, diskText } from "@ganeti-ts/node-calls";
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import type { Handlers } from "../handlers.js";
import { type Command, commandText, outputOf, reasonOf, succeeded } from "../machine/runner.js";
import { childrenOf, type DiskTypes, foundDevice } from "./disk-types.js";
import { all, attempt } from "./failures.js";

const bytesPerMib = 1024 * 1024;
const blockSize = `bs=${bytesPerMib}`;

export type ChangeCalls = Pick<
  DiskCalls,
  | "blockdev_grow"
  | "blockdev_rename"
  | "blockdev_snapshot"
  | "blockdev_setinfo"
  | "blockdev_wipe"
  | "blockdev_convert"
>;

export const changeCalls = (context: NodeContext, types: DiskTypes): Handlers<ChangeCalls> => ({
  async blockdev_grow({ disk, ...growth }) {
    await foundDevice(types, disk, "Cannot find block device");
    await attempt("Failed to grow block device", () => types(disk).grow(disk, growth));
    return null;
  },

  async blockdev_rename({ renames }) {
    await all(renames, async ({ disk, logicalId }) => {
      const renamed = { ...disk, logical_id: logicalId };
      const device = (await types(disk).find(disk)) ?? (await types(disk).find(renamed));
      if (device === null) throw new NodeFailure(`Can't find device ${diskText(disk)} in rename`);
      await attempt(`Can't rename device '${diskText(disk)}' to '${logicalId.join("/")}'`, () =>
        types(disk).rename(disk, logicalId),
      );
    });
    return null;
  },

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
    return null;
  },

  async blockdev_wipe({ disk, offsetMib, sizeMib }) {
    const path = await pathToWrite(types, disk, "Cannot wipe");
    if (offsetMib < 0) throw new NodeFailure("Negative offset");
    if (sizeMib < 0) throw new NodeFailure("Negative size");
    if (offsetMib > disk.size) throw new NodeFailure("Wipe offset is bigger than device size");
    if (offsetMib + sizeMib > disk.size) {
      throw new NodeFailure("Wipe offset and size are bigger than device size");
    }
    const source = ["if=/dev/zero", `seek=${offsetMib}`, blockSize];
    // Without notrunc a disk in a file would end behind what is written.
    await dump(context, [...source, `of=${path}`, `count=${sizeMib}`, "conv=notrunc,fsync"]);
    return null;
  },

  async blockdev_convert({ source, target }) {
    const from = await pathToWrite(types, source, "Cannot copy from");
    const to = await pathToWrite(types, target, "Cannot copy to");
    const words = [`if=${from}`, blockSize, `count=${source.size}`, `of=${to}`];
    await dump(context, [...words, "conv=notrunc,fsync"], "Disk conversion command");
    return null;
  },
});

async function pathToWrite(types: DiskTypes, disk: DiskOnNode, what: string): Promise<string> {
  const device = await types(disk).find(disk);
  if (device === null) {
    throw new NodeFailure(`${what} device ${disk.iv_name ?? disk.uuid}: device not found`);
  }
  if (device.path === null) {
    throw new NodeFailure(
      `${what} device ${disk.iv_name ?? disk.uuid}: no block device on this node`,
    );
  }
  return device.path;
}

async function dump(
  { run }: NodeContext,
  args: readonly string[],
  what = "Dump command",
): Promise<void> {
  const command: Command = { program: "dd", args };
  const ended = await run.run(command);
  if (succeeded(ended)) return;
  throw new NodeFailure(
    `${what} '${commandText(command)}' exited with error: ${reasonOf(ended)}; output: ${outputOf(ended)}`,
  );
}
