/**
 * Files of disks: inside the folder of their instance while attached, next to it while detached.
 */

import { type ConfigChange, diskOnNode, newUuid, type Snapshot } from "@ganeti-ts/config";
import type { Claim, RealDisk, RealInstance } from "@ganeti-ts/protocol";
import { dropping } from "../../capacity/claim.js";
import { abandoningOnFailure, checkStillClaimed, takeClaims } from "../../capacity/with-claims.js";
import { ask, valueOrFail } from "../../unit/effects.js";
import { applied, contextAt, type UnitContext } from "../../unit/unit.js";
import { checkFilesInPlace, claimOfMove, isInFolder } from "../disks/moved-files.js";
import { fileDirectory } from "../plan/disks.js";
import { directoryOf } from "../plan/places.js";

type LogicalId = RealDisk["logical_id"];

/** Changes that record the disk under its logical id. */
type Recording = (now: Snapshot, logicalId: LogicalId) => readonly ConfigChange[];

/** Moves the file of the disk out of the folder and records the disk in its detached form. @throws ExecError */
export function detachFile(
  context: UnitContext,
  instance: RealInstance,
  disk: RealDisk,
  record: Recording,
): Promise<Snapshot> {
  if (!isInFolder(disk)) return applied(context, (now) => record(now, disk.logical_id));
  const [driver = null, path] = disk.logical_id;
  const name = String(path).split("/").at(-1);
  const above = directoryOf({ logical_id: [driver, directoryOf(disk)] });
  const move = { disk, logicalId: [driver, `${above}/${name}`], failure: "Failed before detach" };
  return moveFile(context, instance, move, record);
}

/** Moves the file of the disk into the folder and records the disk in its attached form. @throws ExecError */
export async function attachFile(
  context: UnitContext,
  instance: RealInstance,
  { disk, at }: { readonly disk: RealDisk; readonly at: number },
  record: Recording,
): Promise<Snapshot> {
  if (!isInFolder(disk)) return applied(context, (now) => record(now, disk.logical_id));
  const failure = "Failed before attach";
  const type = disk.dev_type as "file" | "sharedfile";
  const directory = fileDirectory(context.now, type, instance.name, undefined);
  const node = instance.primary_node;
  valueOrFail(await ask(context, node, "file_storage_dir_create", { directory }), failure);
  const path = `${directory}/${newUuid(context.now, context.config.random)}.${type}.disk${at}`;
  const move = { disk, logicalId: [disk.logical_id[0] ?? null, path], failure };
  return moveFile(context, instance, move, record);
}

interface FileMove {
  readonly disk: RealDisk;
  readonly logicalId: LogicalId;
  /** Text of a failure. */
  readonly failure: string;
}

/** A file that is moved and not recorded is moved back. */
async function moveFile(
  context: UnitContext,
  instance: RealInstance,
  { disk, logicalId, failure }: FileMove,
  record: Recording,
): Promise<Snapshot> {
  const { primary_node: node } = instance;
  const claims = await takeClaims(context, [], (now) => {
    checkFilesInPlace(now, [disk]);
    return [claimOfMove(contextAt(context, now), node, [{ ...disk, logical_id: logicalId }])];
  });
  return abandoningOnFailure(context, claims, async () => {
    const renames = [{ disk: diskOnNode(context.now, instance, disk), logicalId }];
    valueOrFail(await ask(context, node, "blockdev_rename", { renames }), failure);
    return applied(context, (now) => {
      const [claim] = claims as readonly [Claim];
      checkStillClaimed(now, claim);
      return [...record(now, logicalId), ...dropping(now, [claim])];
    });
  });
}
