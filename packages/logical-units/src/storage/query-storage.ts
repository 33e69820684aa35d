/** OP_NODE_QUERY_STORAGE: lists the storage units of nodes, one row each. */
import type { Snapshot } from "@ganeti-ts/config";
import { refusalWithoutCode } from "@ganeti-ts/job-queue";
import { type StorageUnitField, storageUnitFields } from "@ganeti-ts/node-calls";
import { compareNaturally, type Json, type OpcodeOf } from "@ganeti-ts/protocol";
import { ask } from "../unit/calls.js";
import { warn } from "../unit/feedback.js";
import { asShared, nodeLock } from "../unit/locks.js";
import type { Unit, World } from "../unit/unit.js";
import { byName, checkFields, wantedNodes } from "../unit/wanted-nodes.js";
import {
  checkStorageTypeEnabled,
  defaultStorageType,
  listedTypes,
  storageArguments,
} from "./storage-types.js";

type Op = OpcodeOf<"OP_NODE_QUERY_STORAGE">;

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
