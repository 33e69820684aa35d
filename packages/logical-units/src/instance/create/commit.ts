/** Making a reservation real: what it says, and what is given now over it. */

import { filledBeparams, filledOsparams, type Snapshot, secondaryNodes } from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import type { ForthcomingDisk, ForthcomingInstance, Json } from "@ganeti-ts/protocol";
import { checkUnclaimed, namedDevices } from "../../capacity/claim.js";
import { type Demand, take } from "../../capacity/demand.js";
import { hasVolumes, volumesOf } from "../../capacity/volumes.js";
import { contextAt } from "../../unit/context.js";
import { info, isDryRun } from "../../unit/feedback.js";
import type { World } from "../../unit/unit.js";
import { isExclusive } from "../disks/growth.js";
import { checkBridges, checkHvparams, checkOsparams } from "../running/node-checks.js";
import { nodeName, shownName } from "../state.js";
import { checkUnmarked } from "./commit-mark.js";
import { beginning, type Commit } from "./commit-steps.js";
import { checkedComplete, completion } from "./completion.js";
import { foundOfCommit } from "./hooks.js";
import { makeInstance } from "./making.js";
import { checkAddressFree } from "./names.js";
import { checkDiskAccess, checkPlacementNodes, checkPolicy } from "./placement.js";
import { type CreateOp, type CreateRequest, checkOsAllowed, helperOf } from "./request.js";
import { checkNameFree } from "./reservation.js";

/** @throws PrereqError if nothing is called so, or it is real already */
export function reservedForCommit(now: Snapshot, op: CreateOp): ForthcomingInstance {
  const { instance_name: name = "" } = op;
  const found = now.findInstance(name);
  if (found === undefined) throw new PrereqError("wrong_input", `Instance ${name} unknown`);
  if (found.forthcoming) return found;
  throw new PrereqError(
    "wrong_state",
    `Instance ${found.name} (with uuid ${found.uuid}) not forthcoming but --commit was passed.`,
  );
}

/** Names of the nodes; UUIDs in a dry run. */
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
  checkUnmarked(context, stored.uuid);
  for (const node of [stored.primary_node ?? [], ...secondaryNodes(now, stored)].flat()) {
    checkUnclaimed(now, node, namedDevices(now.disksOf(stored)));
  }
  // A UUID says which one is meant, and no name.
  const name = givenName === stored.uuid ? stored.name : (stored.name ?? givenName);
  if (op.ip_check && checkedIp !== undefined) await checkAddressFree(world, checkedIp, name ?? "");
  const foreseen = completion(context, op, stored, name);
  const { instance: complete, disks } = foreseen;
  const { template, nodes } = checkedComplete(now, op, stored, foreseen);
  const filled = filledBeparams(now, complete);
  const place = { primary: nodes[0] as (typeof nodes)[number], secondary: nodes[1] };
  const names = nodes.map((node) => `'${nodeName(now, node)}'`).join(", ");
  info(world, `Nodes of instance ${shownName(complete)}: [${names}]`);
  checkPlacementNodes(context, place, template, disks);
  if (!op.ignore_ipolicy) {
    checkPolicy(now, place.primary, template, {
      ...{ maxmem: filled.maxmem, vcpus: filled.vcpus, spindleUse: filled.spindle_use },
      ...{ nicCount: complete.nics.length, diskSizes: disks.map(({ size }) => size) },
    });
  }
  const { hypervisor = "", hvparams = {}, os = "" } = complete;
  checkOsAllowed(os, complete.osparams, now.cluster.blacklisted_os);
  const osparams = filledOsparams(now, complete);
  for (const { params } of disks) {
    const access = typeof params?.access === "string" ? params.access : undefined;
    checkDiskAccess(now, complete, template, access);
  }
  await checkHvparams(context, nodes, hypervisor, hvparams);
  const given = { ...osparams.public, ...osparams.private, ...op.osparams_secret };
  await checkOsparams(context, nodes, os, given, op.force_variant);
  await checkBridges(context, complete.nics, place.primary);

  const volumes = volumesOf(disks);
  const purpose = `creating instance ${complete.name}`;
  const memory = request.start ? { memory: { mib: filled.maxmem, hypervisor, purpose } } : {};
  const spindles = disks.reduce((sum, disk) => sum + (disk.spindles ?? 0), 0);
  const demands: readonly Demand[] = nodes.map((node, at) => ({
    ...{ node, ...(at === 0 ? memory : {}) },
    spindles: isExclusive(now, node) ? spindles : 0,
    limited: {
      ...{ vcpus: at === 0 && request.start ? filled.vcpus : 0, purpose },
      spindleUse: hasVolumes(volumes) ? filled.spindle_use : 0,
    },
    volumes,
  }));
  await world.hooks.before(foundOfCommit(now, complete, nodes));
  const { commit, notes } = await take(world, {
    ...{ demands, except: [stored.uuid] },
    decide: (latest) => {
      const before = latest.instance(stored.uuid);
      if (before === undefined || !before.forthcoming) {
        const text = `Instance ${shownName(stored)} (with uuid ${stored.uuid}) is no longer forthcoming`;
        throw new PrereqError("wrong_state", text);
      }
      const { start } = request;
      const former = { instance: before, disks: latest.disksOf(before) as ForthcomingDisk[] };
      if (op.dry_run) {
        const wanted: Commit = { former, completed: foreseen, start };
        return { changes: [], value: { commit: wanted, notes: foreseen.notes } };
      }
      checkNameFree(latest, complete.name, stored.uuid);
      checkUnmarked(contextAt(world, latest), stored.uuid);
      const made = completion(contextAt(world, latest), op, before, name, complete.nics as never);
      const value: Commit = { former, completed: made, start };
      return {
        changes: beginning(contextAt(world, latest), value, made.cluster),
        value: { commit: value, notes: made.notes },
      };
    },
  });
  for (const note of notes) world.log(note);
  if (isDryRun(world, op)) return nodes;
  return makeInstance(world, {
    ...{ uuid: stored.uuid, start: request.start, waitForSync: op.wait_for_sync },
    ...{
      install: !op.no_install,
      debugLevel: op.debug_level,
      helper: helperOf(op),
      commit,
    },
    ...{ secretOsparams: op.osparams_secret ?? {}, adopted: undefined },
  });
}
