/**
 * Files of disks: inside the folder of their instance while attached, next to it while detached.
 */

import { diskOnNode, newUuid } from "@ganeti-ts/config";
import type { RealDisk, RealInstance } from "@ganeti-ts/protocol";
import { ask, valueOrFail } from "../../unit/calls.js";
import type { UnitContext } from "../../unit/context.js";
import { fileDirectory } from "../create/disks.js";
import { directoryOf } from "../disks/directory.js";

const isInFolder = ({ dev_type: type }: RealDisk): boolean =>
  type === "file" || type === "sharedfile";

/** The disk in its detached form; its file is moved out of the folder. @throws ExecError */
export async function withoutFolder(
  context: UnitContext,
  instance: RealInstance,
  disk: RealDisk,
): Promise<RealDisk> {
  if (!isInFolder(disk)) return disk;
  const [driver = null, path] = disk.logical_id;
  const name = String(path).split("/").at(-1);
  const above = directoryOf({ logical_id: [driver, directoryOf(disk)] });
  return moved(context, instance, disk, [driver, `${above}/${name}`], "Failed before detach");
}

/** The disk in its attached form; its file is moved into the folder. @throws ExecError */
export async function withFolder(
  context: UnitContext,
  instance: RealInstance,
  disk: RealDisk,
  at: number,
): Promise<RealDisk> {
  if (!isInFolder(disk)) return disk;
  const type = disk.dev_type as "file" | "sharedfile";
  const directory = fileDirectory(context.now, type, instance.name, undefined);
  const node = instance.primary_node;
  valueOrFail(
    await ask(context, node, "file_storage_dir_create", { directory }),
    "Failed before attach",
  );
  const path = `${directory}/${newUuid(context.now, context.config.random)}.${type}.disk${at}`;
  const id = [disk.logical_id[0] ?? null, path];
  return moved(context, instance, disk, id, "Failed before attach");
}

async function moved(
  context: UnitContext,
  instance: RealInstance,
  disk: RealDisk,
  logicalId: RealDisk["logical_id"],
  failure: string,
): Promise<RealDisk> {
  const renames = [{ disk: diskOnNode(context.now, instance, disk), logicalId }];
  valueOrFail(await ask(context, instance.primary_node, "blockdev_rename", { renames }), failure);
  return { ...disk, logical_id: logicalId };
}
