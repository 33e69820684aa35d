/** OP_RESTRICTED_COMMAND: runs one of the commands that nodes allow. */

import type { Snapshot } from "@ganeti-ts/config";
import type { Json, NodeObject } from "@ganeti-ts/protocol";
import { ask } from "../unit/calls.js";
import { areChecksAll } from "../unit/checks-done.js";
import { asExclusive, asShared, nodeLock } from "../unit/locks.js";
import type { Unit } from "../unit/unit.js";

export const restrictedCommand: Unit<"OP_RESTRICTED_COMMAND"> = {
  opcode: "OP_RESTRICTED_COMMAND",

  locks({ nodes, use_locking }, now) {
    const locks = named(now, nodes).map(({ uuid }) => nodeLock(uuid));
    return use_locking ? asExclusive(...locks) : asShared(...locks);
  },

  async run(op, world) {
    const nodes = named(world.config.snapshot, op.nodes);
    if (await areChecksAll(world, op)) return null;
    return Promise.all(
      nodes.map(async ({ uuid, name }): Promise<Json> => {
        const answer = await ask(world, uuid, "restricted_command", { command: op.command });
        if (answer.ok) return [true, answer.value];
        return [false, `Command '${op.command}' on node '${name}' failed: ${answer.message}`];
      }),
    );
  },
};

/** No nodes if none are named: a command never runs on all nodes by default. */
const named = (now: Snapshot, names: readonly string[]): readonly NodeObject[] =>
  names.map((name) => now.expectNode(name));
