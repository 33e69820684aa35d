/** Creation of an instance's disks on its nodes, and their removal. */

import { diskOnNode, type Snapshot } from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import { failed } from "@ganeti-ts/node-calls";
import type { ClaimOf, DiskObject, NodeUuid, RealDisk, RealInstance } from "@ganeti-ts/protocol";
import { claimOfRemoval, type Holder } from "../../capacity/claim.js";
import { ask, valueOrFail, warn } from "../../unit/effects.js";
import type { UnitContext } from "../../unit/unit.js";
import { directoryOf, onlyOn } from "../plan/places.js";
import { nodesOfDisk } from "../running/activation.js";
import { nodeName } from "../state.js";
import { isUnderOwnName } from "./adopted.js";
import { isExclusive } from "./growth.js";
import { leftoverMirrorGone } from "./leftovers.js";
import { isFileInPlace, isInFolder } from "./moved-files.js";

/** Stored with every device, so that the owner of a lost one can be identified. */
export const deviceInfo = (instanceName: string): string => `originstname+${instanceName}`;

interface CreateOptions {
  /** Node to use instead of the disks' own nodes. */
  readonly node?: NodeUuid;
}

/**
 * Creates the disks on all their nodes, the primary first; if one fails, those created before are
 * removed. @throws ExecError
 */
export async function createDisks(
  context: UnitContext,
  instance: RealInstance,
  disks: readonly RealDisk[],
  { node: only }: CreateOptions = {},
): Promise<void> {
  const primary = only ?? instance.primary_node;
  const [first] = disks;
  if (first === undefined) return;
  if (isInFolder(first)) {
    const directory = directoryOf(first);
    valueOrFail(
      await ask(context, primary, "file_storage_dir_create", { directory }),
      `Failed to create directory '${directory}' on node ${nodeName(context.now, primary)}`,
    );
  }
  const made: [NodeUuid, RealDisk][] = [];
  for (const disk of disks) {
    for (const node of only === undefined ? primaryFirst(disk, primary) : [only]) {
      // A failed creation may have left parts of the disk.
      made.push([node, disk]);
      const answer = await createDevice(context, instance, disk, node, node === primary);
      if (answer.ok) continue;
      for (const [on, one] of made) {
        for (const part of [one, ...one.children]) await removeDevice(context, instance, part, on);
      }
      throw new ExecError(answer.message);
    }
  }
}

const primaryFirst = (disk: RealDisk, primary: NodeUuid): readonly NodeUuid[] => [
  primary,
  ...nodesOfDisk(disk, primary).filter((node) => node !== primary),
];

/** One disk on one node, its children first. */
async function createDevice(
  context: UnitContext,
  instance: RealInstance,
  disk: RealDisk | RealDisk["children"][number],
  node: NodeUuid,
  onPrimary: boolean,
): Promise<Creation> {
  for (const child of disk.children ?? []) {
    const made = await createDevice(context, instance, child, node, onPrimary);
    if (!made.ok) return made;
  }
  return createSingleDevice(context, instance, disk, node, onPrimary);
}

type Creation = { readonly ok: true } | { readonly ok: false; readonly message: string };

/** The device alone, over its existing children. */
export async function createSingleDevice(
  context: UnitContext,
  instance: RealInstance,
  disk: RealDisk | RealDisk["children"][number],
  node: NodeUuid,
  onPrimary = false,
): Promise<Creation> {
  const { now } = context;
  const onNode = diskOnNode(now, instance, disk);
  const create = () =>
    ask(context, node, "blockdev_create", {
      disk: onNode,
      sizeMib: disk.size,
      owner: instance.name,
      onPrimary,
      info: deviceInfo(instance.name),
      exclusiveStorage: isExclusive(now, node),
    });
  let answer = await create();
  if (!answer.ok && (await leftoverMirrorGone(context, onNode, node))) answer = await create();
  if (answer.ok) return { ok: true };
  return { ok: false, message: failedCreation(now, instance, disk, node, answer.message) };
}

/** Error of a failed device creation, in Ganeti's words. */
export const failedCreation = (
  now: Snapshot,
  { name }: Pick<RealInstance, "name">,
  disk: RealDisk | RealDisk["children"][number],
  node: NodeUuid,
  why: string,
): string =>
  `Can't create block device ${diskText(disk)} on node ${nodeName(now, node)} for instance ${name}: ${why}`;

export const removeDevice = (
  context: UnitContext,
  instance: RealInstance,
  disk: RealDisk | RealDisk["children"][number],
  node: NodeUuid,
) => ask(context, node, "blockdev_remove", { disk: diskOnNode(context.now, instance, disk) });

interface RemoveOptions {
  /** Node to use instead of the disks' own nodes. */
  readonly node?: NodeUuid;
  /** The instance's other disks, whose directories must stay. */
  readonly keeping?: readonly RealDisk[];
}

export interface Removal {
  /**
   * False if a device may be left on an online primary or secondary; an offline secondary is
   * ignored.
   */
  readonly ok: boolean;
  /** Devices that may still exist on a node. */
  readonly left: readonly { readonly node: NodeUuid; readonly disk: RealDisk }[];
}

/**
 * Claims on the remaining devices, for the change that drops the disks: recovery removes them
 * later.
 */
export function claimsOfLeft(
  context: Holder,
  left: readonly { readonly node: NodeUuid; readonly disk: DiskObject }[],
): readonly ClaimOf<"removal">[] {
  const nodes = new Set(left.map(({ node }) => node).filter((node) => context.now.node(node)));
  return [...nodes].map((node) => {
    const there = left.filter((one) => one.node === node);
    const disks = there.map(({ disk }) => onlyOn(node, disk as RealDisk));
    return claimOfRemoval(context, node, disks);
  });
}

/** Removes as many of the disks as possible from their nodes. */
export async function removeDisks(
  context: UnitContext,
  instance: RealInstance,
  disks: readonly RealDisk[],
  { node: only, keeping = [] }: RemoveOptions = {},
): Promise<Removal> {
  let ok = true;
  const left: { node: NodeUuid; disk: RealDisk }[] = [];
  for (const disk of disks) {
    const nodes = only === undefined ? nodesOfDisk(disk, instance.primary_node) : [only];
    for (const node of nodes) {
      const fault = await misplacement(context, instance, disk);
      const answer =
        fault === undefined ? await removeDevice(context, instance, disk, node) : failed(fault);
      if (answer.ok) continue;
      left.push({ node, disk });
      const index = instance.disks.indexOf(disk.uuid);
      warn(
        context,
        `Could not remove disk ${index < 0 ? "None" : index} on node ${nodeName(context.now, node)},` +
          ` continuing anyway: ${answer.message}`,
      );
      if (!answer.offline || node === instance.primary_node) ok = false;
    }
  }
  const directories = (some: readonly RealDisk[]) =>
    new Set(some.filter(isInFolder).map(directoryOf));
  const kept = directories(keeping);
  const node = only ?? instance.primary_node;
  for (const directory of directories(disks)) {
    if (kept.has(directory)) continue;
    const answer = await ask(context, node, "file_storage_dir_remove", { directory });
    if (answer.ok) continue;
    const where = `'${directory}' on node ${nodeName(context.now, node)}`;
    warn(context, `Could not remove directory ${where}: ${answer.message}`);
    ok = false;
  }
  return { ok, left };
}

/** Why the disk's device may still exist under another name; undefined if it does not. */
async function misplacement(
  context: UnitContext,
  instance: RealInstance,
  disk: RealDisk,
): Promise<string | undefined> {
  const { snapshot } = context.config;
  if (!(await isUnderOwnName(context, snapshot, instance, disk)))
    return "its volume has another name since a conversion that was not finished";
  if (!(await isFileInPlace(context, snapshot, instance, disk)))
    return "its file has another path since a job that was not finished";
  return undefined;
}

/** Name of a disk in texts. Source: Ganeti, `objects.Disk`. */
function diskText(disk: RealDisk | RealDisk["children"][number]): string {
  const name = disk.iv_name === undefined ? ", not visible" : `, visible as /dev/${disk.iv_name}`;
  const spindles = disk.spindles === undefined ? "" : `, spindles=${disk.spindles}`;
  return `${kindText(disk)}${name}${spindles}, size=${disk.size}m)>`;
}

function kindText({
  dev_type: type,
  logical_id: id,
  children = [],
}: RealDisk | RealDisk["children"][number]) {
  if (type === "plain") return `<LogicalVolume(/dev/${id[0]}/${id[1]}`;
  if (type !== "drbd") return `<Disk(type=${type}, logical_id=('${id.join("', '")}'), children=[]`;
  const [a, b, port, minorA, minorB] = id;
  const [data, meta] = children;
  const storage =
    data === undefined || meta === undefined
      ? "no local storage"
      : `backend=${diskText(data)}, metadev=${diskText(meta)}`;
  return `<DRBD8(hosts=${a}/${minorA}-${b}/${minorB}, port=${port}, ${storage}`;
}
