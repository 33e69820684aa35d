/**
 * Files of disks that a job moves to other paths. It holds the paths where they were, or are to be: if it dies, recovery
 * moves the files it finds there to the paths that the configuration has.
 */
import { claimsOfKind, diskOnNode, type Snapshot } from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import type {
  ClaimedDisk,
  ClaimOf,
  DiskObject,
  DiskUuid,
  NodeUuid,
  RealDisk,
  RealInstance,
} from "@ganeti-ts/protocol";
import { claimedDevices, claimOfRemoval } from "../../capacity/claim.js";
import { ask, type Calling } from "../../unit/effects.js";
import type { UnitContext } from "../../unit/unit.js";
import { directoryOf } from "../plan/places.js";

const inFolder: ReadonlySet<string> = new Set(["file", "sharedfile"]);

/** Whether the disk is a file in the folder of its instance. */
export const isInFolder = ({ dev_type: type }: Pick<DiskObject, "dev_type">): boolean =>
  type !== undefined && inFolder.has(type);

/** A claim on the files of these disks under these paths on a node. */
export const claimOfMove = (
  context: Pick<UnitContext, "now" | "config" | "jobId">,
  node: NodeUuid,
  files: readonly Pick<RealDisk, "uuid" | "dev_type" | "logical_id">[],
): ClaimOf<"removal"> =>
  claimOfRemoval(
    context,
    node,
    files.map(({ uuid, dev_type, logical_id }) => ({
      ...{ dev_type, logical_id, size: 0, nodes: [node] },
      fileOf: uuid,
    })),
  );

/** The disk that the held file belongs to; undefined if it is no such file, or if the disk has been removed. */
export function diskOfFile(
  now: Snapshot,
  { fileOf }: Pick<ClaimedDisk, "fileOf">,
): RealDisk | undefined {
  const disk = fileOf === undefined ? undefined : now.disk(fileOf);
  return disk === undefined || disk.forthcoming ? undefined : (disk as RealDisk);
}

/** Files that are claimed with their disk. O(claims). */
const claimedFiles = (now: Snapshot, uuid: DiskUuid) =>
  claimsOfKind(now, "removal").flatMap(({ disks, node }) =>
    disks
      .filter(({ fileOf }) => fileOf === uuid)
      .map((file) => ({ file: file as DiskObject as RealDisk, node })),
  );

interface HeldFile {
  readonly file: RealDisk;
  readonly disk: RealDisk;
  readonly node: NodeUuid;
}

/**
 * Moves the held file to the path of its disk, if it exists; a file that is there already is never replaced. "remains": its
 * node is offline.
 */
export async function movedInPlace(
  calling: Calling,
  now: Snapshot,
  holder: Pick<RealInstance, "primary_node">,
  { file, disk, node }: HeldFile,
): Promise<"gone" | "remains" | "failed"> {
  if (file.logical_id[1] === disk.logical_id[1] || file.dev_type !== disk.dev_type) return "gone";
  // Every node reaches shared files, the one of the claim may be lost.
  const owner = file.dev_type === "sharedfile" ? now.instanceOfDisk(disk.uuid) : undefined;
  const at = owner?.primary_node ?? node;
  const device = diskOnNode(now, holder, file);
  const found = await ask(calling, at, "blockdev_find", { disk: device });
  if (!found.ok) return found.offline ? "remains" : "failed";
  if (found.value === null) return "gone";
  const renamed = { ...device, logical_id: disk.logical_id };
  const there = await ask(calling, at, "blockdev_find", { disk: renamed });
  if (!there.ok || there.value !== null) return "failed";
  await ask(calling, at, "file_storage_dir_create", { directory: directoryOf(disk) });
  const renames = [{ disk: device, logicalId: disk.logical_id }];
  const moved = await ask(calling, at, "blockdev_rename", { renames });
  if (!moved.ok) return "failed";
  // The folder stays while it contains other files.
  await ask(calling, at, "file_storage_dir_remove", { directory: directoryOf(file) });
  return "gone";
}

/** Whether the file of the disk, which is to be removed, is where the configuration has it. */
export async function isFileInPlace(
  calling: Calling,
  now: Snapshot,
  instance: RealInstance,
  disk: RealDisk,
): Promise<boolean> {
  if (!isInFolder(disk)) return true;
  for (const { file, node } of claimedFiles(now, disk.uuid)) {
    if ((await movedInPlace(calling, now, instance, { file, disk, node })) !== "gone") return false;
  }
  return true;
}

/**
 * Refuses disks whose files a dead job has not moved to their paths yet, and folders in which held files are.
 * @throws PrereqError `temp_insufficient_resources`
 */
export function checkFilesInPlace(
  now: Snapshot,
  disks: readonly RealDisk[],
  folders: readonly string[] = [],
): void {
  const uuids: ReadonlySet<unknown> = new Set(disks.map(({ uuid }) => uuid));
  const taken = claimedDevices(now).find(
    (one) =>
      isInFolder(one) &&
      (uuids.has(one.fileOf) ||
        (one.logical_id !== undefined &&
          folders.includes(directoryOf({ logical_id: one.logical_id })))),
  );
  if (taken === undefined) return;
  throw new PrereqError(
    "temp_insufficient_resources",
    `Leftovers of a job: ${taken.logical_id?.[1]} is not in its place yet, try again later`,
  );
}
