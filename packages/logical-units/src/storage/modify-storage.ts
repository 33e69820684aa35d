/** OP_NODE_MODIFY_STORAGE: makes a physical volume allocatable or not. */

import { PrereqError } from "@ganeti-ts/job-queue";
import type { OpcodeOf } from "@ganeti-ts/protocol";
import { ask, valueOrFail } from "../unit/calls.js";
import { areChecksAll } from "../unit/checks-done.js";
import { asExclusive, nodeLock } from "../unit/locks.js";
import { namedNode } from "../unit/named-node.js";
import type { Unit } from "../unit/unit.js";
import { checkStorageTypeEnabled, storageArguments } from "./storage-types.js";

/** Modifiable fields by storage type. */
const modifiable: Readonly<Record<string, readonly string[]>> = { "lvm-pv": ["allocatable"] };

export const modifyStorage: Unit<"OP_NODE_MODIFY_STORAGE"> = {
  opcode: "OP_NODE_MODIFY_STORAGE",

  locks: (op, now) => asExclusive(nodeLock(namedNode(now, op).uuid)),

  async run(op, world) {
    const now = world.config.snapshot;
    const node = namedNode(now, op);
    checkChanges(op);
    checkStorageTypeEnabled(now.cluster, op.storage_type);
    if (await areChecksAll(world, op)) return null;
    const name = op.name ?? "";
    valueOrFail(
      await ask(world, node.uuid, "storage_modify", {
        ...storageArguments(now.cluster, op.storage_type),
        name,
        changes: op.changes,
      }),
      `Failed to modify storage unit '${name}' on ${node.name}`,
    );
    return null;
  },
};

function checkChanges({ storage_type, changes }: OpcodeOf<"OP_NODE_MODIFY_STORAGE">): void {
  const allowed = modifiable[storage_type];
  if (allowed === undefined) {
    throw new PrereqError(
      "wrong_input",
      `Storage units of type '${storage_type}' can not be modified`,
    );
  }
  const others = Object.keys(changes).filter((field) => !allowed.includes(field));
  if (others.length === 0) return;
  throw new PrereqError(
    "wrong_input",
    `The following fields can not be modified for storage units of type '${storage_type}': [${others.map((field) => `'${field}'`).join(", ")}]`,
  );
}
