/** OP_NODE_QUERY_STORAGE and OP_NODE_QUERYVOLS: storage units and logical volumes of nodes, one row each. */
import type { Snapshot } from "@ganeti-ts/config";
import { refusalWithoutCode } from "@ganeti-ts/job-queue";
import { type NodeVolume, type StorageUnitField, storageUnitFields } from "@ganeti-ts/node-calls";
import type { Json, NodeUuid, OpcodeOf } from "@ganeti-ts/protocol";
import { compareCodePoints, compareNaturally } from "@ganeti-ts/protocol";
import { ask, warn } from "../unit/effects.js";
import { asShared, nodeLock } from "../unit/locks.js";
import { byName, checkFields, wantedNodes } from "../unit/nodes.js";
import type { Unit, World } from "../unit/unit.js";
import {
  checkStorageTypeEnabled,
  defaultStorageType,
  listedTypes,
  storageArguments,
} from "./storage-types.js";

type Op = OpcodeOf<"OP_NODE_QUERY_STORAGE">;

/** OP_NODE_QUERY_STORAGE: lists the storage units of nodes, one row each. */
export const queryStorage: Unit<"OP_NODE_QUERY_STORAGE"> = {
  opcode: "OP_NODE_QUERY_STORAGE",

  locks: ({ nodes }, now) => asShared(...wantedNodes(now, nodes).map(({ uuid }) => nodeLock(uuid))),

  async run(op, world) {
    const now = world.config.snapshot;
    checkFields(op.output_fields, ["node", "type", ...storageUnitFields]);
    const type = typeFor(op, now);
    const nodes = byName(wantedNodes(now, op.nodes));
    return (await Promise.all(nodes.map((node) => rowsOf(op, world, node, type)))).flat();
  },
};

function typeFor({ storage_type }: Op, { cluster }: Snapshot): string {
  if (storage_type !== undefined) {
    checkStorageTypeEnabled(cluster, storage_type);
    return storage_type;
  }
  const type = defaultStorageType(cluster);
  if ((listedTypes as readonly string[]).includes(type)) return type;
  throw refusalWithoutCode(
    `Storage reporting for storage type '${type}' is not supported. Please use the --storage-type option to specify one of the supported storage types (${listedTypes.join(", ")}) or set the default disk template to one that supports storage reporting.`,
  );
}

/** Rows by unit name; none for nodes that are offline or do not answer. */
async function rowsOf(
  op: Op,
  world: World,
  node: { readonly uuid: string; readonly name: string },
  type: string,
): Promise<Json[]> {
  const asked: StorageUnitField[] = storageUnitFields.filter(
    (field) => field === "name" || op.output_fields.includes(field),
  );
  const answer = await ask(world, node.uuid, "storage_list", {
    ...storageArguments(world.config.snapshot.cluster, type),
    name: op.name ?? null,
    fields: asked,
  });
  if (!answer.ok) {
    if (!answer.offline) {
      warn(world, `Can't get storage data from node ${node.name}: ${answer.message}`);
    }
    return [];
  }
  // (`name` is always the first requested field)
  const units = [...answer.value].sort(([a], [b]) => compareNaturally(String(a), String(b)));
  return units.map((unit) =>
    op.output_fields.map((field): Json => {
      if (field === "node") return node.name;
      if (field === "type") return type;
      return unit[asked.indexOf(field as StorageUnitField)] ?? null;
    }),
  );
}

const fields = ["node", "phys", "vg", "name", "size", "instance"] as const;

/** OP_NODE_QUERYVOLS: lists the logical volumes of nodes, with their instances. */
export const queryVolumes: Unit<"OP_NODE_QUERYVOLS"> = {
  opcode: "OP_NODE_QUERYVOLS",

  locks: ({ nodes }, now) => asShared(...wantedNodes(now, nodes).map(({ uuid }) => nodeLock(uuid))),

  async run(op, world) {
    const now = world.config.snapshot;
    checkFields(op.output_fields, fields);
    const owners = ownersOfVolumes(now);
    const rows = wantedNodes(now, op.nodes).map(async ({ uuid, name }): Promise<Json[]> => {
      const answer = await ask(world, uuid, "node_volumes", {});
      if (!answer.ok) {
        if (!answer.offline) {
          warn(world, `Can't compute volume data on node ${name}: ${answer.message}`);
        }
        return [];
      }
      const volumes = [...answer.value].sort((a, b) =>
        compareCodePoints(a.physicalVolume, b.physicalVolume),
      );
      return volumes.map((volume) => {
        const values = valuesOf(volume, name, owners.get(keyOf(uuid, volume)));
        return op.output_fields.map((field) => values[field] ?? "");
      });
    });
    return (await Promise.all(rows)).flat();
  },
};

const valuesOf = (
  { physicalVolume, volumeGroup, name, sizeMib }: NodeVolume,
  node: string,
  instance = "-",
): Readonly<Record<string, string>> => ({
  node,
  phys: physicalVolume,
  vg: volumeGroup,
  name,
  instance,
  size: String(Math.trunc(sizeMib)),
});

const keyOf = (node: string, { volumeGroup, name }: Pick<NodeVolume, "volumeGroup" | "name">) =>
  `${node} ${volumeGroup}/${name}`;

/** Names of instances by node and volume. O(disks). */
function ownersOfVolumes(now: Snapshot): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  for (const instance of now.instances()) {
    for (const disk of now.disksOf(instance)) {
      for (const part of [disk, ...disk.children]) {
        if (part.dev_type !== "plain" || part.logical_id === undefined) continue;
        const [volumeGroup, name] = part.logical_id.map(String) as [string, string];
        for (const node of nodesOf(disk.nodes, instance.primary_node)) {
          owners.set(keyOf(node, { volumeGroup, name }), instance.name ?? instance.uuid);
        }
      }
    }
  }
  return owners;
}

const nodesOf = (
  nodes: readonly NodeUuid[],
  primary: NodeUuid | undefined,
): readonly NodeUuid[] => {
  if (nodes.length > 0) return nodes;
  return primary === undefined ? [] : [primary];
};
