/** OP_GROUP_ADD: a node group without nodes. */

import { newUuid } from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import { type GroupObject, GroupUuid, type Json, type OpcodeOf } from "@ganeti-ts/protocol";
import { connection } from "../cluster/communication-network.js";
import { ndparamTypes, typedDiskparams } from "../cluster/parameters.js";
import { checkTemplatesEnabled, filledPolicy } from "../cluster/policy.js";
import { readDiskState, readHypervisorState } from "../cluster/static-state.js";
import { masterHooks } from "../hooks/hooks.js";
import { typedParameters } from "../instance/parameters/parameter-types.js";
import { changeConfig } from "../unit/config-change.js";
import { contextAt, type UnitContext } from "../unit/context.js";
import { created } from "../unit/feedback.js";
import { resultWithJobs } from "../unit/submission.js";
import type { Unit, World } from "../unit/unit.js";

type Op = OpcodeOf<"OP_GROUP_ADD">;

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
      return { changes: [{ kind: "put", type: "group", object }], value: object };
    });
    if (op.dry_run) return null;
    created(world, "group", group);
    return connectedToGuests(world, group.uuid);
  },
};

function groupOf({ random, now }: Pick<UnitContext, "random" | "now">, op: Op): GroupObject {
  const ndparams = typedParameters(op.ndparams ?? {}, ndparamTypes);
  const hv_state_static = readHypervisorState(op.hv_state, {});
  const disk_state_static = readDiskState(op.disk_state, {});
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
    ...(op.hv_state === undefined ? {} : { hv_state_static }),
    ...(op.disk_state === undefined ? {} : { disk_state_static }),
  };
}

/** A job that connects the group to the network between instances and cluster, if there is one. */
async function connectedToGuests(world: World, group: string): Promise<Json> {
  const { snapshot } = world.config;
  const name = snapshot.cluster.instance_communication_network;
  if (name === "" || snapshot.findNetwork(name) === undefined) return null;
  return resultWithJobs(world, [[connection(group, name)]]);
}
