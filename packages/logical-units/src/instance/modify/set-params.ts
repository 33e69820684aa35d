/** OP_INSTANCE_SET_PARAMS: changes parameters, NICs, disks and other properties of an instance or reservation. */

import type { ConfigChange, Snapshot } from "@ganeti-ts/config";
import {
  filledBeparams,
  instanceOnNode,
  nicOnNode,
  poolChanges,
  put,
  secondaryNodes,
} from "@ganeti-ts/config";
import { ExecError, PrereqError } from "@ganeti-ts/job-queue";
import type { Json, NicObject, NodeUuid, Random, RealInstance } from "@ganeti-ts/protocol";
import { isMirrored } from "@ganeti-ts/protocol";
import { checkRoom, type Demand, take } from "../../capacity/demand.js";
import { withClaim } from "../../capacity/with-claims.js";
import { instanceHooks, sizeVariables } from "../../hooks/instance-hooks.js";
import { ask, valueOrFail, valueOrRefuse } from "../../unit/effects.js";
import { asExclusive, instanceLock, withNodes } from "../../unit/locks.js";
import { namedNode } from "../../unit/nodes.js";
import { wrongInput, wrongState } from "../../unit/refusals.js";
import type { Unit, UnitContext, World } from "../../unit/unit.js";
import { applied, areChecksAll, contextAt } from "../../unit/unit.js";
import { checkNotGlobal, communicationNic, newCommunicationNic } from "../create/request.js";
import { checkCpuMask } from "../parameters/hypervisor-syntax.js";
import type { Changed } from "../plan/changes.js";
import { checkNotCommitted } from "../plan/commit-claim.js";
import type { ChangedNics, NicAction, NicPlace } from "../plan/nic-changes.js";
import { changedNics, checkNicArguments } from "../plan/nic-changes.js";
import { checkBridges, checkHvparams, checkOsparams } from "../running/node-checks.js";
import { checkInstanceState, runtimeInfo } from "../running/running.js";
import { namedInstance, nodeName, notRunning } from "../state.js";
import { tellMetadata } from "../system/metadata.js";
import { type Conversion, checkedConversion, convertDisks } from "./conversion.js";
import { changeDisks, checkDiskChanges } from "./disk-changes.js";
import { modifyForthcoming } from "./forthcoming.js";
import { canHotplug, hotplug } from "./hotplug.js";
import {
  checkMemory,
  checkModifiedPolicy,
  checkNewPrimary,
  growthOf,
  newPrimaryChanges,
} from "./limits.js";
import type { ChangedParameters, SetOp } from "./parameters.js";
import { changedParameters, filledParameters, parameterChanges } from "./parameters.js";

export const setParams: Unit<"OP_INSTANCE_SET_PARAMS"> = {
  opcode: "OP_INSTANCE_SET_PARAMS",
  hooks: instanceHooks("instance-modify", {
    variables: (op) => ({
      ...(op.disk_template === undefined ? {} : { NEW_DISK_TEMPLATE: op.disk_template }),
      ...(op.runtime_mem === undefined ? {} : { RUNTIME_MEMORY: op.runtime_mem }),
    }),
  }),

  locks(op, now) {
    checkArguments(op);
    const instance = namedInstance(now, op);
    const own = asExclusive(instanceLock(instance));
    if (instance.forthcoming) return own;
    checkRealArguments(op);
    const nodes = [instance.primary_node, ...secondaryNodes(now, instance)];
    if (op.disk_template !== undefined && op.remote_node !== undefined) {
      nodes.push(
        namedNode(now, { node_name: op.remote_node, node_uuid: op.remote_node_uuid }).uuid,
      );
    }
    return [...own, ...withNodes(nodes, "exclusive")];
  },

  /** Result: the changes as pairs. */
  async run(op, world) {
    const now = world.config.snapshot;
    const context = contextAt(world, now);
    const instance = namedInstance(now, op);
    if (instance.forthcoming) {
      checkNotCommitted(context, instance.uuid);
      return modifyForthcoming(world, instance, op);
    }
    return modifyReal(context, instance, op);
  },
};

/** @throws PrereqError */
function checkArguments(op: SetOp): void {
  const given = [
    op.nics,
    op.disks,
    op.hvparams,
    op.beparams,
    op.osparams,
    op.osparams_private ?? {},
  ];
  const single = [
    op.disk_template,
    op.os_name,
    op.offline,
    op.runtime_mem || undefined,
    op.pnode,
    op.hypervisor,
  ];
  const isEmpty =
    given.every((one) => Object.keys(one).length === 0) &&
    single.every((one) => one === undefined) &&
    op.instance_communication === undefined;
  if (isEmpty) wrongInput("No changes submitted");
  checkNotGlobal(op.hvparams);
  const isMirroring = isMirrored(op.disk_template);
  if (isMirroring && op.iallocator !== undefined && op.remote_node !== undefined) {
    wrongInput("Do not specify both, iallocator and node");
  }
  checkNicArguments(op.nics);
}

/** Disks are either converted or changed, and the hypervisor stays. @throws PrereqError */
function checkRealArguments(op: SetOp): void {
  if (op.hypervisor !== undefined) {
    wrongState("Only the hypervisor of a reservation can be changed");
  }
  if (op.disk_template === undefined || op.disks.length === 0) return;
  wrongInput("Disk template conversion and other disk changes not supported at the same time");
}

async function modifyReal(context: UnitContext, instance: RealInstance, op: SetOp): Promise<Json> {
  const plan = await checkedPlan(context, instance, op);
  const { parameters, foreseen } = plan;
  const found = {
    planned: { nics: foreseen.nics },
    variables:
      Object.keys(op.beparams).length === 0
        ? {}
        : sizeVariables({ ...filledBeparams(context.now, { beparams: parameters.beparams }) }),
  };
  if (await areChecksAll(context, op, found)) return null;
  return carryOut(context, instance, op, plan);
}

/** A modification that has passed its checks. */
interface Plan {
  readonly pnode: NodeUuid | undefined;
  readonly conversion: Conversion | undefined;
  readonly isHotplug: boolean;
  readonly parameters: ChangedParameters;
  /** Resources that the instance takes in addition. */
  readonly growth: readonly Demand[];
  readonly balloonMib: number;
  readonly nicChanges: SetOp["nics"];
  readonly where: NicPlace;
  /** The expected NICs, unless the configuration changes meanwhile. */
  readonly foreseen: ChangedNics;
}

/** All checks, in Ganeti's order. @throws PrereqError, ExecError */
async function checkedPlan(context: UnitContext, instance: RealInstance, op: SetOp): Promise<Plan> {
  const { now } = context;
  const pnode = await checkedPrimary(context, instance, op);
  const nicChanges = withCommunication(now, instance, op);
  const devices = op.disks.length > 0 || nicChanges.length > 0;
  const isHotplug = op.hotplug && devices && (await canHotplug(context, instance));
  const conversion =
    op.disk_template === undefined
      ? undefined
      : await checkedConversion(context, instance, op, op.disk_template);
  await checkDiskChanges(context, instance, op, isHotplug);
  if (op.offline !== undefined) {
    const why = op.offline
      ? "can't change to offline without being down first"
      : "can't change to online (down) without being offline first";
    await checkInstanceState(context, instance, notRunning, why);
  }
  const parameters = await checkedParameters(context, instance, op);
  await checkMemory(context, instance, parameters.beparams, op);
  const growth = growthOf(now, instance, parameters.beparams);
  await checkRoom(context, growth);
  const balloonMib = await balloonOf(context, instance, op);
  const where = {
    node: pnode ?? instance.primary_node,
    conflictsCheck: op.conflicts_check,
    isReserved: false,
  };
  const foreseen = changedNics(now, context.config.random, instance.nics, nicChanges, where);
  if (nicChanges.length > 0) await checkNicBridges(context, instance, foreseen.nics, op.force);
  if (!op.ignore_ipolicy) {
    checkModifiedPolicy(now, instance, op, parameters.beparams, foreseen.nics);
  }
  return {
    pnode,
    conversion,
    isHotplug,
    parameters,
    growth,
    balloonMib,
    nicChanges,
    where,
    foreseen,
  };
}

/** The new primary node, if one is given. @throws PrereqError */
async function checkedPrimary(
  context: UnitContext,
  instance: RealInstance,
  op: SetOp,
): Promise<NodeUuid | undefined> {
  if (op.pnode === undefined) return undefined;
  const { now } = context;
  const { uuid } = namedNode(now, { node_name: op.pnode, node_uuid: op.pnode_uuid });
  checkNewPrimary(now, instance, uuid);
  if (uuid !== instance.primary_node && !op.force) await mustBeStopped(context, instance);
  return uuid;
}

/** The new parameters, accepted by the nodes. @throws PrereqError, ExecError */
async function checkedParameters(
  context: UnitContext,
  instance: RealInstance,
  op: SetOp,
): Promise<ChangedParameters> {
  const { now } = context;
  const nodes = [instance.primary_node, ...secondaryNodes(now, instance)];
  const parameters = changedParameters(now, instance, op);
  const filled = filledParameters(now, instance, parameters);
  if (Object.keys(op.hvparams).length > 0) {
    await checkHvparams(context, nodes, instance.hypervisor, filled.hvparams);
  }
  checkCpuMask(filledBeparams(now, parameters).vcpus, filled.hvparams.cpu_mask);
  if (Object.keys({ ...op.osparams, ...op.osparams_private }).length > 0) {
    const os = op.force ? instance.os : (parameters.os ?? "");
    await checkOsparams(context, nodes, os, filled.osparams, op.force_variant);
  }
  return parameters;
}

/** Carries out the changes in order; returns them as pairs. @throws ExecError */
async function carryOut(
  world: World,
  instance: RealInstance,
  op: SetOp,
  plan: Plan,
): Promise<readonly Changed[]> {
  const { pnode, conversion, isHotplug } = plan;
  const result: Changed[] = [];
  if (pnode !== undefined) {
    await applied(world, (latest) => newPrimaryChanges(latest, instance.uuid, pnode));
  }
  if (op.runtime_mem !== undefined) {
    await balloon(world, instance, op.runtime_mem, plan.balloonMib);
    result.push(["runtime_memory", op.runtime_mem]);
  }
  result.push(...(await changeDisks(world, instance.uuid, op, isHotplug)));
  if (conversion !== undefined) {
    await convertDisks(world, instance.uuid, op, conversion);
    result.push(["disk_template", conversion.to]);
  }
  const nics = await take(world, {
    demands: plan.growth,
    decide: (latest) => storing(latest, world.config.random, instance, op, plan),
  });
  for (const note of nics.notes) world.log(note);
  result.push(...nics.changed);
  if (isHotplug) result.push(...(await plugNics(world, instance, nics.actions)));
  await tellMetadata(world, instance.uuid);
  result.push(...parameterChanges(op));
  if (op.offline !== undefined) result.push(["admin_state", op.offline ? "offline" : "down"]);
  return result;
}

/** The instance with its new parameters and NICs. */
function storing(
  now: Snapshot,
  random: Random,
  { uuid }: RealInstance,
  { offline }: SetOp,
  { nicChanges, where, parameters }: Plan,
) {
  const before = now.instance(uuid) as RealInstance;
  const made = changedNics(now, random, before.nics, nicChanges, where);
  const { os, ...changed } = parameters;
  const object: RealInstance = {
    ...before,
    ...changed,
    nics: made.nics,
    os: os ?? before.os,
    ...(offline === undefined
      ? {}
      : { admin_state: offline ? "offline" : "down", admin_state_source: "admin" as const }),
    ...(offline === true ? { disks_active: false } : {}),
  };
  const change: ConfigChange = put("instance", object);
  return { changes: [change, ...poolChanges(now, before.nics, made.nics)], value: made };
}

async function mustBeStopped(context: UnitContext, instance: RealInstance): Promise<void> {
  const answer = await runtimeInfo(context, instance);
  if (!answer.ok) {
    context.log(`WARNING: Can't get instance runtime information: ${answer.message}`);
  } else if (answer.value !== null) {
    const where = nodeName(context.now, instance.primary_node);
    wrongState(`Instance is still running on ${where}`);
  }
}

/** NIC changes completed with adding or removing the NIC to the metadata service. */
function withCommunication(now: Snapshot, instance: RealInstance, op: SetOp): SetOp["nics"] {
  if (op.instance_communication === undefined) return op.nics;
  const name = communicationNic(instance.name);
  const has = instance.nics.some((nic) => nic.name === name);
  if (has === op.instance_communication) return op.nics;
  if (has) return [...op.nics, ["remove", name, {}]];
  return [...op.nics, ["add", -1, newCommunicationNic(now.cluster, name)]];
}

async function checkNicBridges(
  context: UnitContext,
  instance: RealInstance,
  nics: readonly NicObject[],
  force: boolean,
): Promise<void> {
  const before = new Set(instance.nics.map((nic) => JSON.stringify(nic.nicparams)));
  const changed = nics.filter((nic) => !before.has(JSON.stringify(nic.nicparams)));
  try {
    await checkBridges(context, changed, instance.primary_node);
  } catch (error) {
    if (!force || !(error instanceof PrereqError)) throw error;
    context.log(`WARNING: ${error.message}`);
  }
}

/** Memory by which the running instance grows; no demand if it shrinks. */
async function balloonOf(context: UnitContext, instance: RealInstance, op: SetOp) {
  const { now } = context;
  if (op.runtime_mem === undefined) return 0;
  const running = valueOrRefuse(
    await runtimeInfo(context, instance),
    `Error checking node ${nodeName(now, instance.primary_node)}`,
  );
  if (running === null) wrongState(`Instance ${instance.name} is not running`);
  const { minmem, maxmem } = filledBeparams(now, {
    beparams: changedParameters(now, instance, op).beparams,
  });
  if (!op.force && (op.runtime_mem > maxmem || op.runtime_mem < minmem)) {
    wrongInput(
      `Instance ${instance.name} must have memory between ${minmem} and ${maxmem} MB of memory` +
        " unless --force is given",
    );
  }
  return op.runtime_mem - running.memoryMib;
}

async function balloon(world: World, instance: RealInstance, memoryMib: number, deltaMib: number) {
  const { primary_node: node, hypervisor, name } = instance;
  const purpose = `ballooning memory for instance ${name}`;
  const demands = deltaMib > 0 ? [{ node, memory: { mib: deltaMib, hypervisor, purpose } }] : [];
  await withClaim(world, demands, async () => {
    valueOrFail(
      await ask(world, node, "instance_balloon_memory", {
        instance: instanceOnNode(world.config.snapshot, instance),
        memoryMib,
      }),
      "Cannot modify instance runtime memory",
    );
  });
}

async function plugNics(
  world: World,
  { uuid }: RealInstance,
  actions: readonly NicAction[],
): Promise<readonly Changed[]> {
  const changed: Changed[] = [];
  for (const { action, nic, index, parameter } of actions) {
    const instance = world.config.snapshot.instance(uuid);
    if (instance === undefined || instance.forthcoming) throw new ExecError("Instance is gone");
    const device = nicOnNode(world.config.snapshot, instance, nic);
    const outcome = await hotplug(world, instance, action, { type: "nic", device, index });
    changed.push([parameter, outcome]);
  }
  return changed;
}
