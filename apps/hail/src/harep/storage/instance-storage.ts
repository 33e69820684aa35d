/** Copies of an instance's disks as the master reports them in its answer to OP_INSTANCE_QUERY_DATA. */
import type { Json, JsonObject } from "@ganeti-ts/protocol";

type Role = "primary" | "secondary";

/** One copy of a disk on one node. */
export interface DiskCopy {
  /** Index of the disk. */
  readonly disk: number;
  readonly node: string;
  readonly role: Role;
  /** `failing`: still sound, on a device that has lost other copies; `unknown`: the node is offline, or cannot tell. */
  readonly state: "sound" | "failing" | "lost" | "unknown";
  /** The logical volumes that hold it: that of its data, then that of its metadata. */
  readonly volumes: readonly { readonly group: string; readonly name: string }[];
  readonly sizeMib: number;
}

export interface InstanceStorage {
  readonly name: string;
  readonly isRunning: boolean;
  readonly copies: readonly DiskCopy[];
}

/** Metadata of one mirror. */
const metadataMib = 128;

/** Ganeti's number of a local disk that has lost its storage, the last item of a status. */
const faulty = 4;

/**
 * Reads the data of one instance. A copy is lost if its device reports that, or if a volume below it is gone.
 * `isOffline` tells the nodes that the master may not have asked.
 */
export function instanceStorage(
  data: JsonObject,
  isOffline: (node: string) => boolean,
): InstanceStorage {
  const { name, run_state, pnode } = data;
  const copies = objects(data.disks).flatMap((disk, at) => {
    const mirror = object(disk.drbd_info);
    const sides =
      mirror === undefined
        ? ([["primary", pnode]] as const)
        : ([
            ["primary", mirror.primary_node],
            ["secondary", mirror.secondary_node],
          ] as const);
    return sides.map(([role, node]): DiskCopy => {
      const where = { disk: at, node: String(node), role };
      // Drained nodes count as offline, and answer.
      const isSilent = isOffline(String(node)) && !isKnown(disk, role);
      const state = isSilent ? "unknown" : stateOf(disk, role);
      const sizeMib = Number(disk.size ?? 0) + (mirror === undefined ? 0 : metadataMib);
      return { ...where, state, volumes: volumesOf(disk), sizeMib };
    });
  });
  return { name: String(name), isRunning: run_state === "up", copies };
}

const keyOf = (role: Role) => (role === "primary" ? "pstatus" : "sstatus");

const isKnown = (disk: JsonObject, role: Role): boolean =>
  [disk, ...objects(disk.children)].some((device) => device[keyOf(role)] !== null);

function stateOf(disk: JsonObject, role: Role): DiskCopy["state"] {
  const key = keyOf(role);
  const children = objects(disk.children);
  const isGone = (device: JsonObject) => device[key] === null || local(device[key]) === faulty;
  if (children.some(isGone) || local(disk[key]) === faulty) return "lost";
  if (disk[key] !== null) return "sound";
  // A mirror that is not active has no device, and its volumes exist.
  return disk.dev_type === "plain" ? "lost" : "sound";
}

const local = (status: Json | undefined): Json | undefined =>
  Array.isArray(status) ? status[6] : undefined;

const volumesOf = (disk: JsonObject): DiskCopy["volumes"] =>
  [disk, ...objects(disk.children)].flatMap(({ dev_type, logical_id }) => {
    if (dev_type !== "plain" || !Array.isArray(logical_id)) return [];
    return [{ group: String(logical_id[0]), name: String(logical_id[1]) }];
  });

const object = (value: Json | undefined): JsonObject | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;

const objects = (value: Json | undefined): readonly JsonObject[] =>
  (Array.isArray(value) ? (value as readonly Json[]) : []).flatMap((item) => {
    const one = object(item);
    return one === undefined ? [] : [one];
  });
