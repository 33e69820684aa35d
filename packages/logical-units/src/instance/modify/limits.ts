/** Limits of a modified instance: its group's policy and the memory of its nodes. */
import type { ConfigChange, Snapshot } from "@ganeti-ts/config";
import {
  diskTemplate,
  filledBeparams,
  groupOf,
  groupPolicy,
  hypervisorOnNode,
  nodesOfInstance,
  put,
  realDisksOf,
  secondaryNodes,
  shareOf,
  specViolations,
  violationText,
} from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import type {
  InstanceUuid,
  NicObject,
  NodeUuid,
  PartialBeparams,
  RealInstance,
} from "@ganeti-ts/protocol";
import type { Demand } from "../../capacity/demand.js";
import {
  freeMemoryMib,
  givenMemory,
  intervalOf,
  reservationsOn,
  spokenFor,
} from "../../capacity/spoken-for.js";
import { ask, valueOrRefuse } from "../../unit/effects.js";
import { wrongInput, wrongState } from "../../unit/refusals.js";
import type { UnitContext } from "../../unit/unit.js";
import { runtimeInfo } from "../running/running.js";
import { nodeName } from "../state.js";
import type { SetOp } from "./parameters.js";

/**
 * Checks that the larger memory fits for the next start, in addition to reservations. @throws
 * PrereqError
 */
export async function checkMemory(
  context: UnitContext,
  instance: RealInstance,
  beparams: PartialBeparams,
  op: SetOp,
): Promise<void> {
  const { now } = context;
  const before = filledBeparams(now, instance);
  const after = filledBeparams(now, { beparams });
  const isGiven = "maxmem" in op.beparams || "memory" in op.beparams;
  if (!isGiven || op.force || after.maxmem <= before.maxmem) return;
  const primary = await freeMemory(context, instance, instance.primary_node);
  const node = nodeName(now, instance.primary_node);
  if (!primary.ok) {
    context.log(`WARNING: Can't get info from primary node ${node}: ${primary.message}`);
  } else {
    const running = await runtimeInfo(context, instance);
    if (!running.ok) {
      context.log(`WARNING: Can't get instance runtime information: ${running.message}`);
    } else {
      const missing = after.maxmem - (running.value?.memoryMib ?? 0) - primary.value;
      if (missing > 0) {
        throw new PrereqError(
          "insufficient_resources",
          `This change will prevent the instance from starting, due to ${missing} MB of memory` +
            " missing on its primary node",
        );
      }
    }
  }
  if (!after.auto_balance) return;
  for (const secondary of secondaryNodes(now, instance)) {
    const name = nodeName(now, secondary);
    const answer = await freeMemory(context, instance, secondary);
    const free = valueOrRefuse(answer, `Can't get info from secondary node ${name}`, "wrong_state");
    if (after.maxmem <= free) continue;
    wrongState(
      `This change will prevent the instance from failover to its secondary node ${name}, due to` +
        " not enough memory",
    );
  }
}

/** Resources other than memory that larger parameters take of the nodes. */
export function growthOf(
  now: Snapshot,
  instance: RealInstance,
  beparams: PartialBeparams,
): readonly Demand[] {
  const before = filledBeparams(now, instance);
  const after = filledBeparams(now, { beparams });
  const purpose = `modifying instance ${instance.name}`;
  return nodesOfInstance(now, instance).flatMap((node) => {
    const runsThere = node === instance.primary_node && instance.admin_state === "up";
    const hasVolumes = shareOf(now, instance, node).spindleUse > 0;
    const vcpus = runsThere ? Math.max(0, after.vcpus - before.vcpus) : 0;
    const spindleUse = hasVolumes ? Math.max(0, after.spindle_use - before.spindle_use) : 0;
    return vcpus + spindleUse === 0 ? [] : [{ node, limited: { vcpus, spindleUse, purpose } }];
  });
}

/** Memory that is free and not reserved. */
async function freeMemory(context: UnitContext, instance: RealInstance, node: NodeUuid) {
  const { now } = context;
  const answer = await ask(context, node, "node_info", {
    storage: [],
    hypervisors: [hypervisorOnNode(now, instance.hypervisor)],
  });
  if (!answer.ok) return answer;
  const isPromised = reservationsOn(now, node, new Set()).length > 0;
  const given = isPromised ? await givenMemory(context, node) : undefined;
  if (given !== undefined && !given.ok) return given;
  const [figures] = answer.value.hypervisors ?? [];
  const freeMib = figures === undefined ? 0 : freeMemoryMib(now, figures, given?.value);
  const { memoryMib } = spokenFor(intervalOf(now, now), node, new Set());
  return { ok: true as const, value: freeMib - memoryMib };
}

/** Checks only changed values, and the disks. @throws PrereqError `wrong_input` */
export function checkModifiedPolicy(
  now: Snapshot,
  instance: RealInstance,
  op: SetOp,
  beparams: PartialBeparams,
  nics: readonly NicObject[],
): void {
  const group = groupOf(now, instance.primary_node);
  if (group === undefined) return;
  const isGiven = Object.keys(op.beparams).length > 0;
  const filled = isGiven ? filledBeparams(now, { beparams }) : undefined;
  const disks = realDisksOf(now, instance);
  const added = op.disks.flatMap(([action, , { size }]) => (action === "add" ? [size] : []));
  const own = diskTemplate(now, instance) ?? "diskless";
  const types =
    op.disk_template === undefined
      ? [...disks.map(({ dev_type }) => dev_type), ...added.map(() => own)]
      : disks.map(() => op.disk_template);
  const violationsOf = (memoryMaxMib: number | undefined) =>
    specViolations(groupPolicy(now, group), {
      memoryMaxMib,
      vcpus: filled?.vcpus,
      spindleUse: filled?.spindle_use,
      nicCount: nics.length,
      diskSizesMib: [...disks.map(({ size }) => size), ...added],
      diskTypes: types,
    });
  const violations = new Set([...violationsOf(filled?.maxmem), ...violationsOf(filled?.minmem)]);
  if (violations.size === 0) return;
  wrongInput(violationText(group, [...violations]));
}

/**
 * A new primary for disks that an administrator has moved by hand: nodes are not called.
 * @throws PrereqError if the disks are mirrored between other nodes
 */
export function checkNewPrimary(now: Snapshot, instance: RealInstance, node: NodeUuid): void {
  for (const [at, { nodes }] of now.disksOf(instance).entries()) {
    if (nodes.length < 2 || nodes.includes(node)) continue;
    const names = nodes.map((one) => nodeName(now, one)).join(" and ");
    wrongInput(
      `Disk ${at} of instance ${instance.name} is on ${names}, not on ${nodeName(now, node)}`,
    );
  }
}

/** Moves the instance and those of its disks that are on a single node. */
export function newPrimaryChanges(
  now: Snapshot,
  uuid: InstanceUuid,
  node: NodeUuid,
): readonly ConfigChange[] {
  const instance = now.instance(uuid);
  if (instance === undefined || instance.forthcoming) return [];
  checkNewPrimary(now, instance, node);
  const local = now.disksOf(instance).filter(({ nodes }) => nodes.length === 1);
  return [
    put("instance", { ...instance, primary_node: node }),
    ...local.map((disk) => ({
      ...({ kind: "put", type: "disk" } as const),
      object: { ...disk, nodes: [node] },
    })),
  ];
}
