/**
 * OP_GROUP_SET_PARAMS: changes the parameters of a group, which apply to its nodes and instances.
 */

import { instanceLabel } from "@ganeti-ts/cluster-queries";
import { policyViolations, put, type Snapshot } from "@ganeti-ts/config";
import type { GroupObject, Json, JsonObject, OpcodeOf } from "@ganeti-ts/protocol";
import { pythonLiteral } from "@ganeti-ts/protocol";
import {
  changedDiskparams,
  changedParameters,
  checkAccess,
  ndparamTypes,
} from "../cluster/parameters.js";
import { changedPolicy, checkTemplatesEnabled, filledPolicy } from "../cluster/policy.js";
import { staticStates } from "../cluster/static-state.js";
import { masterHooks } from "../hooks/hooks.js";
import { allOfGroup, instancesOfGroup } from "../network/conflicts.js";
import { warn } from "../unit/effects.js";
import { asExclusive, asShared, groupLock, instanceLock } from "../unit/locks.js";
import { wrongInput } from "../unit/refusals.js";
import { changeConfig, type Unit } from "../unit/unit.js";

type Op = OpcodeOf<"OP_GROUP_SET_PARAMS">;

export const setGroupParams: Unit<"OP_GROUP_SET_PARAMS"> = {
  opcode: "OP_GROUP_SET_PARAMS",
  hooks: masterHooks("group-modify", "GROUP", (op) => ({
    GROUP_NAME: op.group_name,
    NEW_ALLOC_POLICY: op.alloc_policy,
  })),

  locks(op, now) {
    const group = now.expectGroup(op.group_name);
    return [
      ...asExclusive(groupLock(group.uuid)),
      ...asShared(...allOfGroup(now, group).map(instanceLock)),
    ];
  },

  async run(op, world) {
    const { ndparams, diskparams, alloc_policy, hv_state, disk_state, ipolicy } = op;
    const given = [ndparams, diskparams, alloc_policy, hv_state, disk_state, ipolicy];
    if (given.every((one) => one === undefined)) {
      wrongInput("Please pass at least one modification");
    }
    const { uuid } = world.config.snapshot.expectGroup(op.group_name);
    const { violating, shown } = await changeConfig(world, op, (now) => {
      const before = now.expectGroup(uuid);
      const object = changedGroup(op, now, before);
      const violating = newViolations(now, before, object);
      return {
        changes: [put("group", object)],
        value: { violating, shown: shownChanges(op, object) },
      };
    });
    if (violating.length > 0) {
      warn(
        world,
        `After the ipolicy change the following instances violate them: ${violating.join(", ")}`,
      );
    }
    return shown;
  },
};

function changedGroup(op: Op, now: Snapshot, before: GroupObject): GroupObject {
  const has = (dict: JsonObject | undefined): dict is JsonObject =>
    dict !== undefined && Object.keys(dict).length > 0;
  let group = before;
  if (has(op.ndparams)) {
    const ndparams = changedParameters(before.ndparams as JsonObject, op.ndparams, ndparamTypes);
    group = { ...group, ndparams };
  }
  if (has(op.diskparams as JsonObject | undefined)) {
    const diskparams = changedDiskparams(before.diskparams, op.diskparams as JsonObject);
    checkAccess(now, diskparams, instancesOfGroup(now, before));
    group = { ...group, diskparams };
  }
  if (op.alloc_policy !== undefined) group = { ...group, alloc_policy: op.alloc_policy };
  const hv_state = has(op.hv_state) ? op.hv_state : undefined;
  const disk_state = has(op.disk_state) ? op.disk_state : undefined;
  group = { ...group, ...staticStates({ hv_state, disk_state }, before) };
  if (has(op.ipolicy)) {
    const ipolicy = changedPolicy(before.ipolicy as JsonObject, op.ipolicy, "group");
    checkTemplatesEnabled(now, filledPolicy(now, ipolicy));
    group = { ...group, ipolicy: ipolicy as GroupObject["ipolicy"] };
  }
  return group;
}

/** Instances that met the group's policy and no longer do. */
function newViolations(now: Snapshot, before: GroupObject, after: GroupObject): string[] {
  if (before.ipolicy === after.ipolicy) return [];
  return instancesOfGroup(now, before)
    .filter(
      (one) =>
        policyViolations(now, one, after).length > 0 &&
        policyViolations(now, one, before).length === 0,
    )
    .map(instanceLabel);
}

/** The changes, as reported in the job's result. */
const shownChanges = (op: Op, group: GroupObject): Json =>
  // Ganeti's commands send `{}` for omitted parameters.
  (["ndparams", "diskparams"] as const).flatMap((name) => {
    const given = Object.keys(op[name] ?? {}).length > 0;
    return given ? [[name, pythonLiteral(group[name] as Json)]] : [];
  });
