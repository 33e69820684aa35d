/** Change of a node's role, with Ganeti's rules for flags that exclude each other. */

import { filledNdparams, isIpv4, type Snapshot } from "@ganeti-ts/config";
import type { NodeObject, OpcodeOf } from "@ganeti-ts/protocol";
import { candidateCounts, hasPlaceForOneMore } from "../cluster/candidate-pool.js";
import { ask, info, warn } from "../unit/effects.js";
import { wrongInput, wrongState } from "../unit/refusals.js";
import type { UnitContext, World } from "../unit/unit.js";

type Op = OpcodeOf<"OP_NODE_SET_PARAMS">;

export type Role = "candidate" | "drained" | "offline" | "regular";

const flags = ["master_candidate", "drained", "offline"] as const;
type Flags = { readonly [Flag in (typeof flags)[number]]: boolean | undefined };

export interface RoleChange {
  readonly from: Role;
  readonly to: Role;
  /** The flags of the opcode that have an effect, and those that follow from them. */
  readonly asked: Flags;
}

const roleOf = (node: NodeObject): Role => {
  if (node.master_candidate) return "candidate";
  if (node.drained) return "drained";
  return node.offline ? "offline" : "regular";
};

/** Whether the change may remove the node from the candidates. */
export const mayDemote = (op: Op): boolean =>
  op.master_candidate === false ||
  op.offline === true ||
  op.drained === true ||
  op.master_capable === false;

/** @throws PrereqError for arguments that are wrong in any state of the cluster */
export function checkArguments(op: Op): void {
  const given = [
    ...[op.offline, op.master_candidate, op.drained, op.master_capable, op.vm_capable],
    ...[op.secondary_ip, op.ndparams, op.hv_state, op.disk_state],
  ];
  // Ganeti counts only these flags as modifications; here `powered` alone is one as well.
  if (given.every((one) => one === undefined) && op.powered === undefined) {
    wrongInput("Please pass at least one modification");
  }
  if (given.filter((one) => one === true).length > 1) {
    wrongInput("Can't set the node into more than one state at the same time");
  }
  if (op.secondary_ip !== undefined && !isIpv4(op.secondary_ip)) {
    wrongInput(`Secondary IP (${op.secondary_ip}) needs to be a valid IPv4 address`);
  }
}

/** @throws PrereqError if the node cannot change in this way */
export async function roleChange(
  context: UnitContext,
  op: Op,
  node: NodeObject,
): Promise<RoleChange> {
  checkPossible(op, context.now, node);
  const from = roleOf(node);
  const asked = effectiveFlags(op, context, node);
  checkPower(op, asked, context.now, node);
  const promoted = withPromotion(context, op, asked, node);
  const to = newRole(promoted, from);
  if (from === "offline" && to !== from) await checkAnswers(context, node);
  return { from, to, asked: promoted };
}

function checkPossible(op: Op, now: Snapshot, node: NodeObject): void {
  const isMaster = node.uuid === now.cluster.master_node;
  if (isMaster && flags.some((flag) => op[flag] !== undefined)) {
    wrongInput("The master role can be changed only via master-failover");
  }
  if (op.master_candidate && !node.master_capable) {
    wrongState(`Node ${node.name} is not master capable, cannot make it a master candidate`);
  }
  if (op.vm_capable === false) {
    const { primary, secondary } = now.instancesOfNode(node.uuid);
    if (primary.length + secondary.length > 0) {
      wrongState(`Node ${node.name} hosts instances, cannot unset the vm_capable flag`);
    }
  }
  if (node.master_candidate && mayDemote(op) && !op.auto_promote) {
    const { actual, wanted } = candidateCounts(now, new Set([node.uuid]));
    if (actual < wanted) {
      wrongState(
        "Not enough master candidates, please pass auto promote option to allow promotion" +
          " (--auto-promote or RAPI auto_promote=True)",
      );
    }
  }
  if (isMaster && op.master_capable === false && node.master_candidate) {
    wrongState("Master must remain master capable");
  }
}

/** Leaves out the unsetting of flags that are not set. */
function effectiveFlags(op: Op, world: World, node: NodeObject): Flags {
  const asked: Record<string, boolean | undefined> = {};
  for (const flag of flags) {
    if (op[flag] === false && !node[flag]) {
      info(world, `Ignoring request to unset flag ${flag}, already unset`);
    } else {
      asked[flag] = op[flag];
    }
  }
  return { master_candidate: undefined, drained: undefined, offline: undefined, ...asked };
}

function checkPower(op: Op, asked: Flags, now: Snapshot, node: NodeObject): void {
  if (filledNdparams(now, node).oob_program !== "") {
    if (asked.offline === false && !node.powered && op.powered !== true) {
      wrongState(`Node ${node.name} needs to be turned on before its offline status can be reset`);
    }
  } else if (op.powered !== undefined) {
    wrongState(
      `Unable to change powered state for node ${node.name} as it does not support out-of-band handling`,
    );
  }
}

/**
 * A node that comes back becomes a candidate if the pool has a place and the node is capable of it.
 */
function withPromotion(context: UnitContext, op: Op, asked: Flags, node: NodeObject): Flags {
  let flags = asked;
  const comesBack =
    asked.drained === false ||
    asked.offline === false ||
    (op.master_capable === true && !node.master_capable);
  if (comesBack && hasPlaceForOneMore(context.now)) {
    flags = { ...flags, master_candidate: true };
    info(context, "Auto-promoting node to master candidate");
  }
  if (op.master_capable === false && node.master_candidate) {
    info(context, "Demoting from master candidate");
    flags = { ...flags, master_candidate: false };
  }
  return flags;
}

function newRole({ master_candidate, drained, offline }: Flags, before: Role): Role {
  if (master_candidate) return "candidate";
  if (drained) return "drained";
  if (offline) return "offline";
  return [master_candidate, drained, offline].includes(false) ? "regular" : before;
}

async function checkAnswers(world: World, { uuid, name }: NodeObject): Promise<void> {
  // An offline node gets only this call.
  const answer = await ask(world, uuid, "version", {});
  if (!answer.ok) {
    wrongState(
      `Node ${name} is being de-offlined but fails to report its version: ${answer.message}`,
    );
  }
  warn(
    world,
    "Transitioning node from offline to online state without using re-add. Please make sure the" +
      " node is healthy!",
  );
}
