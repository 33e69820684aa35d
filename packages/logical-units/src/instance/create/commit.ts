/**
 * Commit of a reservation: the stored values, overlaid with those of the opcode, become a real
 * instance.
 */

import { filledBeparams, filledOsparams, type Snapshot, secondaryNodes } from "@ganeti-ts/config";
import type { ForthcomingDisk, ForthcomingInstance, Json, NodeUuid } from "@ganeti-ts/protocol";
import { checkUnclaimed, namedDevices } from "../../capacity/claim.js";
import { type Demand, take } from "../../capacity/demand.js";
import { hasVolumes, volumesOf } from "../../capacity/volumes.js";
import { info, isDryRun } from "../../unit/effects.js";
import { wrongInput, wrongState } from "../../unit/refusals.js";
import { contextAt, type UnitContext, type World } from "../../unit/unit.js";
import { isExclusive } from "../disks/growth.js";
import { checkNotCommitted } from "../plan/commit-claim.js";
import { checkAddressFree, checkNameFree } from "../plan/names.js";
import { checkBridges, checkHvparams, checkOsparams } from "../running/node-checks.js";
import { nodeName, shownName } from "../state.js";
import { beginning, type Commit } from "./commit-steps.js";
import { type Complete, type Completion, checkedComplete, completion } from "./completion.js";
import { foundOfCommit } from "./hooks.js";
import { makeInstance } from "./making.js";
import { checkDiskAccess, checkPlacementNodes, checkPolicy } from "./placement.js";
import { type CreateOp, type CreateRequest, checkOsAllowed, helperOf } from "./request.js";

/** @throws PrereqError if no instance has the name, or it is real already */
export function reservedForCommit(now: Snapshot, op: CreateOp): ForthcomingInstance {
  const { instance_name: name = "" } = op;
  const found = now.findInstance(name);
  if (found === undefined) wrongInput(`Instance ${name} unknown`);
  if (found.forthcoming) return found;
  wrongState(
    `Instance ${found.name} (with uuid ${found.uuid}) not forthcoming but --commit was passed.`,
  );
}

/** Returns the names of the nodes; UUIDs in a dry run. */
export async function commitReservation(
  world: World,
  request: CreateRequest,
  givenName: string | undefined,
  checkedIp: string | undefined,
): Promise<Json> {
  const { op } = request;
  const now = world.config.snapshot;
  const context = contextAt(world, now);
  const stored = reservedForCommit(now, op);
  checkNotCommitted(context, stored.uuid);
  for (const node of [stored.primary_node ?? [], ...secondaryNodes(now, stored)].flat()) {
    checkUnclaimed(now, node, namedDevices(now.disksOf(stored)));
  }
  // A UUID identifies the reservation and does not rename it.
  const name = givenName === stored.uuid ? stored.name : (stored.name ?? givenName);
  if (op.ip_check && checkedIp !== undefined) await checkAddressFree(world, checkedIp, name ?? "");
  const foreseen = completion(context, op, stored, name);
  const complete = checkedComplete(now, op, stored, foreseen);
  const { nodes } = complete;
  await checkOnNodes(context, op, foreseen, complete);
  await world.hooks.before(foundOfCommit(now, foreseen.instance, nodes));
  const { commit, notes } = await take(world, {
    demands: demandsOfCommit(now, request, foreseen, nodes),
    except: [stored.uuid],
    decide: (latest) => begun(contextAt(world, latest), request, { stored, name, foreseen }),
  });
  for (const note of notes) world.log(note);
  if (isDryRun(world, op)) return nodes;
  return makeInstance(world, {
    uuid: stored.uuid,
    start: request.start,
    waitForSync: op.wait_for_sync,
    install: !op.no_install,
    debugLevel: op.debug_level,
    helper: helperOf(op),
    commit,
    secretOsparams: op.osparams_secret ?? {},
    adopted: undefined,
  });
}

/** The checks of the policy and of the nodes, in Ganeti's order. @throws PrereqError, ExecError */
async function checkOnNodes(
  context: UnitContext,
  op: CreateOp,
  { instance, disks }: Completion,
  { template, nodes }: Complete,
): Promise<void> {
  const { now } = context;
  const place = { primary: nodes[0] as NodeUuid, secondary: nodes[1] };
  const names = nodes.map((node) => `'${nodeName(now, node)}'`).join(", ");
  info(context, `Nodes of instance ${shownName(instance)}: [${names}]`);
  checkPlacementNodes(context, place, template, disks);
  if (!op.ignore_ipolicy) {
    const { maxmem, vcpus, spindle_use: spindleUse } = filledBeparams(now, instance);
    checkPolicy(now, place.primary, template, {
      maxmem,
      vcpus,
      spindleUse,
      nicCount: instance.nics.length,
      diskSizes: disks.map(({ size }) => size),
    });
  }
  const { hypervisor = "", hvparams = {}, os = "" } = instance;
  checkOsAllowed(os, instance.osparams, now.cluster.blacklisted_os);
  const osparams = filledOsparams(now, instance);
  for (const { params } of disks) {
    const access = typeof params?.access === "string" ? params.access : undefined;
    checkDiskAccess(now, instance, template, access);
  }
  await checkHvparams(context, nodes, hypervisor, hvparams);
  const hidden = { ...osparams.private, ...op.osparams_secret };
  await checkOsparams(context, nodes, os, { open: osparams.public, hidden }, op.force_variant);
  await checkBridges(context, instance.nics, place.primary);
}

/** Resources that the instance takes of each of its nodes, the primary first. */
function demandsOfCommit(
  now: Snapshot,
  { start }: CreateRequest,
  { instance, disks }: Completion,
  nodes: readonly NodeUuid[],
): readonly Demand[] {
  const { maxmem, vcpus, spindle_use } = filledBeparams(now, instance);
  const { hypervisor = "" } = instance;
  const volumes = volumesOf(disks);
  const purpose = `creating instance ${instance.name}`;
  const memory = start ? { memory: { mib: maxmem, hypervisor, purpose } } : {};
  const spindles = disks.reduce((sum, disk) => sum + (disk.spindles ?? 0), 0);
  return nodes.map((node, at) => ({
    node,
    ...(at === 0 ? memory : {}),
    spindles: isExclusive(now, node) ? spindles : 0,
    limited: {
      vcpus: at === 0 && start ? vcpus : 0,
      purpose,
      spindleUse: hasVolumes(volumes) ? spindle_use : 0,
    },
    volumes,
  }));
}

/** The result of the checks of a commit. */
interface Foreseen {
  readonly stored: ForthcomingInstance;
  readonly name: string | undefined;
  readonly foreseen: Completion;
}

/**
 * The first change of a commit, computed from the current state of the reservation; no change in a
 * dry run. @throws PrereqError
 */
function begun(
  context: UnitContext,
  { op, start }: CreateRequest,
  { stored, name, foreseen }: Foreseen,
) {
  const { now } = context;
  const { instance: complete } = foreseen;
  const before = now.instance(stored.uuid);
  if (before === undefined || !before.forthcoming) {
    wrongState(`Instance ${shownName(stored)} (with uuid ${stored.uuid}) is no longer forthcoming`);
  }
  const former = { instance: before, disks: now.disksOf(before) as ForthcomingDisk[] };
  if (op.dry_run) {
    const commit: Commit = { former, completed: foreseen, start };
    return { changes: [], value: { commit, notes: foreseen.notes } };
  }
  checkNameFree(now, complete.name, stored.uuid);
  checkNotCommitted(context, stored.uuid);
  const completed = completion(context, op, before, name, complete.nics as never);
  const commit: Commit = { former, completed, start };
  return {
    changes: beginning(context, commit, completed.cluster),
    value: { commit, notes: completed.notes },
  };
}
