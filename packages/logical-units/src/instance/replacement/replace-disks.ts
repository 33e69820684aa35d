/**
 * OP_INSTANCE_REPLACE_DISKS: replaces disks of a mirrored instance, on the same node or on a new
 * secondary.
 */

import { groupOf, type Snapshot, secondaryNodes } from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import type {
  ForthcomingInstance,
  InstanceObject,
  NodeUuid,
  OpcodeOf,
  RealInstance,
} from "@ganeti-ts/protocol";
import { whileRefused } from "../../capacity/chosen-again.js";
import { checkRoom } from "../../capacity/demand.js";
import { instanceHooks } from "../../hooks/instance-hooks.js";
import { info } from "../../unit/effects.js";
import { asExclusive, asShared, groupLock, instanceLock, withNodes } from "../../unit/locks.js";
import { namedNode } from "../../unit/nodes.js";
import { wrongInput } from "../../unit/refusals.js";
import { areChecksAll, contextAt, type Unit, type UnitContext } from "../../unit/unit.js";
import { storageLocks } from "../disks/disk-locks.js";
import { checkTargetPolicy } from "../parameters/target-policy.js";
import { checkNotCommitted } from "../plan/commit-claim.js";
import {
  checkNodeNotDrained,
  checkNodeOnline,
  checkNodeVmCapable,
} from "../running/node-checks.js";
import { namedInstance, namedRealInstance, nodeName, realDiskAt, shownName } from "../state.js";
import { faultyOnPrimary, faultyReplacement } from "./faulty.js";
import { moveReservedSecondary, newSecondaryDemands } from "./new-secondary.js";
import { onlySecondary, type Replacement, releaseUntouched } from "./replacement.js";
import { replacementDemands, runReplacement } from "./run.js";

type Op = OpcodeOf<"OP_INSTANCE_REPLACE_DISKS">;

export const replaceDisks: Unit<"OP_INSTANCE_REPLACE_DISKS"> = {
  opcode: "OP_INSTANCE_REPLACE_DISKS",
  hooks: instanceHooks("mirrors-replace", {
    variables: (op, now, instance) => ({
      MODE: op.mode,
      NEW_SECONDARY: op.remote_node ?? null,
      OLD_SECONDARY: nodeName(now, secondaryNodes(now, instance)[0] ?? ""),
    }),
    nodes: (op, now, { primary_node }) => [primary_node, now.findNode(op.remote_node ?? "")?.uuid],
  }),

  locks(op, now) {
    checkArguments(op);
    const instance = namedInstance(now, op);
    const own = asExclusive(instanceLock(instance));
    if (instance.forthcoming) return own;
    const nodes = [instance.primary_node, ...secondaryNodes(now, instance)];
    if (op.remote_node !== undefined) nodes.push(givenNode(now, op, op.remote_node));
    if (op.iallocator === undefined) return [...own, ...withNodes(nodes, "exclusive")];
    // The allocator chooses within the groups of the instance.
    const groups = [...new Set(nodes.flatMap((node) => groupOf(now, node)?.uuid ?? []))];
    const members = groups.flatMap((group) => now.nodesOfGroup(group).map(({ uuid }) => uuid));
    return [
      ...own,
      ...asShared(...groups.map(groupLock)),
      ...withNodes([...nodes, ...members], "exclusive"),
    ];
  },

  async run(op, world) {
    checkArguments(op);
    const now = world.config.snapshot;
    const context = contextAt(world, now);
    const instance = namedInstance(now, op);
    const secondary = onlySecondary(now, instance);
    const isChosen = op.iallocator !== undefined;
    if (instance.forthcoming) {
      checkNotCommitted(context, instance.uuid);
      const newNode = await whileRefused(isChosen, () =>
        placeForReserved(context, op, instance, secondary),
      );
      await replaceReserved(context, op, instance, newNode);
      return null;
    }
    const replacement = await whileRefused(isChosen, () =>
      replacementOf(context, op, instance, secondary),
    );
    if (await areChecksAll(world, op)) return null;
    await releaseUntouched(world, replacement);
    await runReplacement(world, replacement);
    return null;
  },
};

/** The replacement, after all checks; there is room for it. @throws PrereqError */
async function replacementOf(
  context: UnitContext,
  op: Op,
  instance: RealInstance,
  secondary: NodeUuid,
): Promise<Replacement> {
  const { now } = context;
  const newNode = await newSecondary(context, op, instance, secondary);
  checkDisks(op);
  const { primary_node: primary } = instance;
  const places = { target: secondary, other: primary };
  const all = instance.disks.map((_, at) => at);
  const chosen = { indices: op.disks.length > 0 ? op.disks : all };
  const common = { instance, earlyRelease: op.early_release };
  let replacement: Replacement = { ...common, ...chosen, ...places };
  if (op.mode === "replace_auto") {
    const faulty = await faultyReplacement(context, instance, secondary);
    replacement = { ...common, ...faulty };
  } else if (op.mode === "replace_on_primary") {
    replacement = { ...common, ...chosen, target: primary, other: secondary };
  } else if (newNode !== undefined) {
    checkNodeNotDrained(now, newNode);
    checkNodeVmCapable(now, newNode);
    const earlyRelease = isReleasedEarly(context, op, secondary);
    replacement = { ...common, ...chosen, ...places, newNode, earlyRelease };
  }
  if (now.disksOf(instance).some(({ dev_type }) => dev_type !== "drbd")) {
    wrongInput("Can only run replace disks for DRBD8-based instances");
  }
  if (newNode !== undefined) checkTargetPolicy(context, instance, newNode, op.ignore_ipolicy);
  if (replacement.indices.length > 0) {
    const { target, other } = replacement;
    for (const node of [newNode ?? target, other]) checkNodeOnline(now, node);
  }
  for (const index of replacement.indices) realDiskAt(now, instance, index);
  await checkRoom(context, replacementDemands(context, replacement));
  return replacement;
}

/** @throws PrereqError `wrong_input` */
function checkArguments({ mode, remote_node, iallocator }: Op): void {
  if (mode === "replace_new_secondary") {
    if (remote_node === undefined && iallocator === undefined) {
      wrongInput(
        "When changing the secondary either an iallocator script must be used or the new node given",
      );
    }
    if (remote_node !== undefined && iallocator !== undefined) {
      wrongInput("Do not specify both, iallocator and node");
    }
  } else if (remote_node !== undefined || iallocator !== undefined) {
    wrongInput(
      "The iallocator and new node options can only be used when changing the secondary node",
    );
  }
}

/** @throws PrereqError `wrong_input` */
function checkDisks({ mode, disks }: Op): void {
  const isWhole = mode === "replace_auto" || mode === "replace_new_secondary";
  if (disks.length === 0 || !isWhole) return;
  wrongInput("Cannot specify disks to be replaced");
}

const givenNode = (now: Snapshot, op: Op, name: string): NodeUuid =>
  namedNode(now, { node_name: name, node_uuid: op.remote_node_uuid }).uuid;

/** The given node or the one chosen by an allocator; undefined if the secondary stays. */
async function newSecondary(
  context: UnitContext,
  op: Op,
  instance: InstanceObject,
  secondary: NodeUuid,
): Promise<NodeUuid | undefined> {
  if (op.mode !== "replace_new_secondary") return undefined;
  const node =
    op.remote_node === undefined
      ? await chosenNode(context, op, instance)
      : givenNode(context.now, op, op.remote_node);
  if (node === instance.primary_node) {
    wrongInput("The specified node is the primary node of the instance");
  }
  if (node === secondary) {
    wrongInput("The specified node is already the secondary node of the instance");
  }
  return node;
}

async function chosenNode(context: UnitContext, op: Op, instance: InstanceObject) {
  const asking = { now: context.now, caller: context, iallocator: op.iallocator };
  const { nodes } = await context.allocators.relocate(asking, instance.uuid);
  const [name = ""] = nodes;
  const node = context.now.findNode(name);
  if (node === undefined) {
    throw new PrereqError("unknown_entity", `Node ${name} not found in configuration`);
  }
  info(context, `Selected new secondary for instance '${shownName(instance)}': ${name}`);
  return node.uuid;
}

/** The old storage on an offline secondary need not be kept. */
function isReleasedEarly(context: UnitContext, op: Op, secondary: NodeUuid): boolean {
  if (op.early_release || !context.now.node(secondary)?.offline) return op.early_release;
  info(
    context,
    `Old secondary ${nodeName(context.now, secondary)} is offline, automatically enabling early-release mode`,
  );
  return true;
}

/** The new secondary of a reservation, which has room for it; undefined if the secondary stays. @throws PrereqError */
async function placeForReserved(
  context: UnitContext,
  op: Op,
  reserved: ForthcomingInstance,
  secondary: NodeUuid,
): Promise<NodeUuid | undefined> {
  const { now } = context;
  const newNode = await newSecondary(context, op, reserved, secondary);
  checkDisks(op);
  if (newNode === undefined) return undefined;
  checkNodeOnline(now, newNode);
  checkNodeNotDrained(now, newNode);
  checkNodeVmCapable(now, newNode);
  checkTargetPolicy(context, reserved, newNode, op.ignore_ipolicy);
  await checkRoom(context, newSecondaryDemands(now, reserved, newNode));
  return newNode;
}

/** A reservation has no devices, so none can be faulty. */
async function replaceReserved(
  context: UnitContext,
  op: Op,
  reserved: ForthcomingInstance,
  newNode: NodeUuid | undefined,
): Promise<void> {
  const { now } = context;
  if (await areChecksAll(context, op)) return;
  const name = shownName(reserved);
  if (op.mode === "replace_auto") {
    context.log(`No disks need replacement for instance '${name}'`);
    return;
  }
  const all = reserved.disks.map((_, at) => at);
  const indices = op.disks.length > 0 ? op.disks : all;
  const [secondary = ""] = secondaryNodes(now, reserved);
  context.log(`Replacing disk(s) ${indices.join(", ")} for instance '${name}'`);
  context.log(`Current primary node: ${nodeName(now, reserved.primary_node ?? "")}`);
  context.log(`Current secondary node: ${nodeName(now, secondary)}`);
  if (newNode !== undefined) await moveReservedSecondary(context, reserved, newNode);
  else context.log("Instance forthcoming, not touching disks");
}

/** OP_INSTANCE_REPAIR: recreates only those disks on the primary that have lost their storage. */
export const repair: Unit<"OP_INSTANCE_REPAIR"> = {
  opcode: "OP_INSTANCE_REPAIR",

  locks: storageLocks,

  /** Result: indices of the recreated disks. */
  async run(op, world) {
    const now = world.config.snapshot;
    const instance = namedRealInstance(now, op);
    const other = onlySecondary(now, instance);
    const { primary_node: target } = instance;
    for (const node of [target, other]) checkNodeOnline(now, node);
    const indices = await faultyOnPrimary(world, instance);
    if (await areChecksAll(world, op)) return null;
    const earlyRelease = op.early_release;
    await runReplacement(world, { instance, indices, target, other, earlyRelease });
    return [...indices];
  },
};
