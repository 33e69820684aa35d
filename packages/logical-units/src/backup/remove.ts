/** OP_BACKUP_REMOVE: removes the exports of an instance, which may itself be gone. */

import { ask, warn } from "../unit/effects.js";
import { asExclusive, nodeLock } from "../unit/locks.js";
import { areChecksAll, type Unit } from "../unit/unit.js";

export const removeExports: Unit<"OP_BACKUP_REMOVE"> = {
  opcode: "OP_BACKUP_REMOVE",

  locks: (_, now) => asExclusive(...[...now.nodes()].map(({ uuid }) => nodeLock(uuid))),

  async run(op, world) {
    const now = world.config.snapshot;
    const known = now.findInstance(op.instance_name);
    const name = known?.name ?? op.instance_name;
    if (await areChecksAll(world, op)) return null;
    let isFound = false;
    for (const node of now.nodes()) {
      const exports = await ask(world, node.uuid, "export_list", {});
      if (!exports.ok) {
        warn(world, `Failed to query node ${node.name} (continuing): ${exports.message}`);
        continue;
      }
      if (!exports.value.includes(name)) continue;
      isFound = true;
      const removed = await ask(world, node.uuid, "export_remove", { name });
      if (!removed.ok) {
        const text = `Could not remove export for instance ${name} on node ${node.name}`;
        warn(world, `${text}: ${removed.message}`);
      }
    }
    if (known === undefined && !isFound) {
      world.log(
        "Export not found. If trying to remove an export belonging to a deleted instance please use its Fully Qualified Domain Name.",
      );
    }
    return null;
  },
};
