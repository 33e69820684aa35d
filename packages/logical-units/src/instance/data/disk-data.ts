/** Data about an instance's disks, from the configuration and from their nodes. */
import { diskOnNode, type Snapshot } from "@ganeti-ts/config";
import type { DeviceStatus } from "@ganeti-ts/node-calls";
import type { ChildDisk, DiskObject, InstanceObject, Json, JsonObject } from "@ganeti-ts/protocol";
import { ask, valueOrFail } from "../../unit/effects.js";
import type { UnitContext } from "../../unit/unit.js";
import { nodeName } from "../state.js";

/** `null`: the device does not exist; undefined: the node was not asked. */
type Found = DeviceStatus | "offline" | null | undefined;

/** A disk with its devices on the primary and on the secondary, and its children. */
interface FoundDisk {
  readonly disk: DiskObject | ChildDisk;
  readonly secondary: string | undefined;
  readonly onPrimary: Found;
  readonly onSecondary: Found;
  readonly children: readonly FoundDisk[];
}

/** Asks no nodes if `isStatic`, and never offline ones. @throws ExecError */
export async function foundDisks(
  context: UnitContext,
  instance: InstanceObject,
  isStatic: boolean,
): Promise<readonly FoundDisk[]> {
  const look = { context, instance, isStatic };
  const found: FoundDisk[] = [];
  for (const disk of context.now.disksOf(instance)) {
    found.push(await foundDisk(look, disk, undefined));
  }
  return found;
}

interface Look {
  readonly context: UnitContext;
  readonly instance: InstanceObject;
  readonly isStatic: boolean;
}

/** `above`: the secondary node of the parent disk. */
async function foundDisk(
  look: Look,
  disk: DiskObject | ChildDisk,
  above: string | undefined,
): Promise<FoundDisk> {
  const { context, instance, isStatic } = look;
  const secondary = disk.dev_type === "drbd" ? sidesOf(instance, disk).secondary.node : above;
  const find = async (node: string | undefined): Promise<Found> => {
    const { primary_node } = instance;
    if (isStatic || node === undefined || primary_node === undefined) return undefined;
    const onNode = diskOnNode(context.now, { primary_node }, disk);
    const answer = await ask(context, node, "blockdev_find", { disk: onNode });
    if (!answer.ok && answer.offline) return "offline";
    return valueOrFail(answer, `Can't compute disk status for ${instance.name}`);
  };
  const onPrimary = await find(instance.primary_node);
  const onSecondary = await find(secondary);
  const children: FoundDisk[] = [];
  for (const child of disk.children ?? []) {
    children.push(await foundDisk(look, child, secondary));
  }
  return { disk, secondary, onPrimary, onSecondary, children };
}

/** The two sides of a mirror. */
function sidesOf(
  { primary_node: primary }: InstanceObject,
  { logical_id = [] }: Pick<DiskObject, "logical_id">,
) {
  const [nodeA = null, nodeB = null, , minorA = null, minorB = null] = logical_id;
  const a = { node: String(nodeA), minor: minorA };
  const b = { node: String(nodeB), minor: minorB };
  return nodeA === primary ? { primary: a, secondary: b } : { primary: b, secondary: a };
}

/** The disk in Ganeti's form, without the secret of a mirror. */
export function diskData(now: Snapshot, instance: InstanceObject, found: FoundDisk): JsonObject {
  const { disk } = found;
  const isMirror = disk.dev_type === "drbd" && disk.logical_id !== undefined;
  return {
    iv_name: disk.iv_name ?? null,
    dev_type: disk.dev_type ?? null,
    logical_id: isMirror ? [...(disk.logical_id ?? []).slice(0, -1), null] : shownId(disk),
    drbd_info: isMirror ? mirrorData(now, instance, disk) : null,
    pstatus: statusTuple(found.onPrimary),
    sstatus: statusTuple(found.onSecondary),
    children: found.children.map((child) => diskData(now, instance, child)),
    mode: disk.mode ?? null,
    size: disk.size ?? null,
    spindles: disk.spindles ?? null,
    name: disk.name ?? null,
    uuid: disk.uuid,
  };
}

const shownId = ({ logical_id }: DiskObject | ChildDisk): Json =>
  logical_id === undefined ? null : [...logical_id];

function mirrorData(
  now: Snapshot,
  instance: InstanceObject,
  disk: Pick<DiskObject, "logical_id">,
): JsonObject {
  const { primary, secondary } = sidesOf(instance, disk);
  return {
    primary_node: nodeName(now, primary.node),
    primary_minor: primary.minor,
    secondary_node: nodeName(now, secondary.node),
    secondary_minor: secondary.minor,
    port: disk.logical_id?.[2] ?? null,
  };
}

/** Ganeti's numbers of these states. */
const localDiskNumbers = { ok: 1, sync: 2, unknown: 3, faulty: 4 } as const;

function statusTuple(status: Found): Json {
  if (status == null || status === "offline") return null;
  const { path, major, minor, syncPercent, estimatedSeconds, degraded, localDisk } = status;
  const number = localDiskNumbers[localDisk ?? "ok"];
  return [path, major, minor, syncPercent, estimatedSeconds, degraded, number];
}

/**
 * Index, node, role and status of each requested copy, also of those on offline nodes.
 *
 * | status | meaning |
 * |---|---|
 * | `ok` | complete |
 * | `degraded` | being synchronised, or without its peer |
 * | `faulty` | its storage is lost |
 * | `missing` | the device does not exist, or is not active |
 * | `unknown` | the node cannot tell, as of a side that stands alone, or is offline |
 */
export const diskStatuses = (
  now: Snapshot,
  instance: InstanceObject,
  found: readonly FoundDisk[],
): readonly Json[] =>
  found.flatMap((one, at) => {
    const sides = [
      [instance.primary_node, "primary", one.onPrimary],
      [one.secondary, "secondary", one.onSecondary],
    ] as const;
    return sides.flatMap(([node, role, status]) =>
      node === undefined || status === undefined
        ? []
        : [[at, nodeName(now, node), role, statusWord(status)]],
    );
  });

function statusWord(status: DeviceStatus | "offline" | null): string {
  if (status === null) return "missing";
  if (status === "offline") return "unknown";
  const { localDisk, degraded } = status;
  if (localDisk === "faulty" || localDisk === "unknown") return localDisk;
  return localDisk === "sync" || degraded ? "degraded" : "ok";
}
