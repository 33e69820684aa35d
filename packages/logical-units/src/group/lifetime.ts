/** OP_GROUP_ADD, OP_GROUP_RENAME and OP_GROUP_REMOVE: a group begins without nodes, and ends without them. */

import { newUuid, put, removal } from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import type { GroupObject, Json, OpcodeOf } from "@ganeti-ts/protocol";
import { compareNaturally, GroupUuid } from "@ganeti-ts/protocol";
import { connection } from "../cluster/communication-network.js";
import { ndparamTypes, typedDiskparams } from "../cluster/parameters.js";
import { checkTemplatesEnabled, filledPolicy } from "../cluster/policy.js";
import { staticStates } from "../cluster/static-state.js";
import { masterAndMembers, masterHooks } from "../hooks/hooks.js";
import { typedParameters } from "../instance/parameters/parameter-types.js";
import { created } from "../unit/effects.js";
import { asExclusive, groupLock } from "../unit/locks.js";
import { wrongState } from "../unit/refusals.js";
import type { Unit, UnitContext, World } from "../unit/unit.js";
import { changeConfig, contextAt, resultWithJobs } from "../unit/unit.js";

type Op = OpcodeOf<"OP_GROUP_ADD">;

/** OP_GROUP_ADD: a node group without nodes. */
export const addGroup: Unit<"OP_GROUP_ADD"> = {
  opcode: "OP_GROUP_ADD",
  hooks: masterHooks("group-add", "GROUP", (op) => ({ GROUP_NAME: op.group_name })),

  /** No other job can name the group before it exists. */
  locks: () => [],

  async run(op, world) {
    const group = await changeConfig(world, op, (now) => {
      const existing = now.findGroup(op.group_name);
      if (existing !== undefined) {
        throw new PrereqError(
          "already_exists",
          `Desired group name '${op.group_name}' already exists as a node group (UUID: ${existing.uuid})`,
        );
      }
      const object = groupOf(contextAt(world, now), op);
      return { changes: [put("group", object)], value: object };
    });
    if (op.dry_run) return null;
    created(world, "group", group);
    return connectedToGuests(world, group.uuid);
  },
};

function groupOf({ random, now }: Pick<UnitContext, "random" | "now">, op: Op): GroupObject {
  const ndparams = typedParameters(op.ndparams ?? {}, ndparamTypes);
  const states = staticStates(op, {});
  const diskparams = typedDiskparams(op.diskparams ?? {});
  if (op.ipolicy !== undefined) {
    checkTemplatesEnabled(now, filledPolicy(now, op.ipolicy));
  }
  return {
    uuid: GroupUuid.parse(newUuid(now, random)),
    name: op.group_name,
    alloc_policy: op.alloc_policy ?? "preferred",
    tags: [],
    ndparams,
    diskparams,
    ipolicy: (op.ipolicy ?? {}) as GroupObject["ipolicy"],
    networks: {},
    ...states,
  };
}

/** A job that connects the group to the network between instances and cluster, if there is one. */
async function connectedToGuests(world: World, group: string): Promise<Json> {
  const { snapshot } = world.config;
  const name = snapshot.cluster.instance_communication_network;
  if (name === "" || snapshot.findNetwork(name) === undefined) return null;
  return resultWithJobs(world, [[connection(group, name)]]);
}

/** OP_GROUP_RENAME: gives a group another name. */
export const renameGroup: Unit<"OP_GROUP_RENAME"> = {
  opcode: "OP_GROUP_RENAME",
  hooks: {
    path: "group-rename",
    object: "GROUP",
    environment: (op) => ({ OLD_NAME: op.group_name, NEW_NAME: op.new_name }),
    nodes: (op, now) => masterAndMembers(now, now.expectGroup(op.group_name).uuid),
  },

  locks: (op, now) => asExclusive(groupLock(now.expectGroup(op.group_name).uuid)),

  async run(op, world) {
    const { uuid } = world.config.snapshot.expectGroup(op.group_name);
    return changeConfig(world, op, (now) => {
      const taken = now.findGroup(op.new_name);
      if (taken !== undefined) {
        throw new PrereqError(
          "already_exists",
          `Desired new name '${op.new_name}' clashes with existing node group (UUID: ${taken.uuid})`,
        );
      }
      const object = { ...now.expectGroup(uuid), name: op.new_name };
      return { changes: [put("group", object)], value: op.new_name };
    });
  },
};

/** OP_GROUP_REMOVE: removes a group without nodes, unless it is the last one. */
export const removeGroup: Unit<"OP_GROUP_REMOVE"> = {
  opcode: "OP_GROUP_REMOVE",
  hooks: masterHooks("group-remove", "GROUP", (op) => ({ GROUP_NAME: op.group_name })),

  locks: (op, now) => asExclusive(groupLock(now.expectGroup(op.group_name).uuid)),

  async run(op, world) {
    const { uuid } = world.config.snapshot.expectGroup(op.group_name);
    return changeConfig(world, op, (now) => {
      const nodes = now.nodesOfGroup(uuid).map(({ name }) => name as string);
      if (nodes.length > 0) {
        wrongState(
          `Group '${op.group_name}' not empty, has the following nodes: ${nodes.sort(compareNaturally).join(", ")}`,
        );
      }
      if (now.groupCount === 1) {
        wrongState(`Group '${op.group_name}' is the only group, cannot be removed`);
      }
      return { changes: [removal("group", uuid)], value: null };
    });
  },
};
