/** Making a reservation real: what it says, and what is given now over it. */

import {
  diskTemplate,
  filledBeparams,
  filledOsparams,
  poolChanges,
  type Snapshot,
  secondaryNodes,
  withTags,
} from "@ganeti-ts/config";
import type {
  DiskTemplate,
  ForthcomingDisk,
  ForthcomingInstance,
  Json,
  ParameterValue,
  RealDisk,
} from "@ganeti-ts/protocol";
import { type Demand, take } from "../../capacity/demand.js";
import { volumesOf } from "../../capacity/volumes.js";
import { PrereqError } from "../../errors.js";
import { info, isDryRun } from "../../feedback.js";
import type { World } from "../../unit.js";
import { isExclusive } from "../growth.js";
import { checkBridges, checkHvparams, checkOsparams } from "../node-checks.js";
import { nodeName, shownName } from "../state.js";
import { commitMark } from "./commit-mark.js";
import { drbdMetaMib } from "./disks.js";
import { foundOfCommit } from "./hooks.js";
import { makeInstance } from "./making.js";
import { checkAddressFree } from "./names.js";
import { allottedNics, plannedNics } from "./nics.js";
import { checkPlacementNodes, checkPolicy } from "./placement.js";
import {
  type CreateOp,
  type CreateRequest,
  checkedBeparams,
  checkedHvparams,
  checkedHypervisor,
} from "./request.js";
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
  const stored = reservedForCommit(now, op);
  // A UUID says which one is meant, and no name.
  const name = givenName === stored.uuid ? stored.name : (stored.name ?? givenName);
  if (op.ip_check && checkedIp !== undefined) await checkAddressFree(world, checkedIp, name ?? "");
  const complete = completed(world, now, op, stored, name);
  const { template, disks, nodes } = checkedComplete(now, op, complete);
  const filled = filledBeparams(now, complete);
  const place = { primary: nodes[0] as (typeof nodes)[number], secondary: nodes[1] };
  const names = nodes.map((node) => `'${nodeName(now, node)}'`).join(", ");
  info(world, `Nodes of instance ${shownName(complete)}: [${names}]`);
  checkPlacementNodes(
    world,
    now,
    place,
    template,
    disks.map(({ spindles }) => ({ spindles }) as never),
  );
  if (!op.ignore_ipolicy) {
    checkPolicy(now, place.primary, template, {
      ...{ maxmem: filled.maxmem, vcpus: filled.vcpus, spindleUse: filled.spindle_use },
      ...{ nicCount: complete.nics.length, diskSizes: disks.map(({ size }) => size) },
    });
  }
  const { hypervisor = "", hvparams = {}, os = "" } = complete;
  const osparams = filledOsparams(now, complete);
  await checkHvparams(world, now, nodes, hypervisor, hvparams);
  const given = { ...osparams.public, ...osparams.private, ...op.osparams_secret };
  await checkOsparams(world, now, nodes, os, given, op.force_variant);
  await checkBridges(world, now, complete.nics, place.primary);

  const volumes = template === "plain" || template === "drbd" ? volumesOf(sized(disks)) : undefined;
  const purpose = `creating instance ${complete.name}`;
  const memory = request.start ? { memory: { mib: filled.maxmem, hypervisor, purpose } } : {};
  const spindles = disks.reduce((sum, disk) => sum + (disk.spindles ?? 0), 0);
  const demands: readonly Demand[] = nodes.map((node, at) => ({
    ...{ node, ...(at === 0 ? memory : {}) },
    spindles: isExclusive(now, node) ? spindles : 0,
    limited: {
      ...{ vcpus: at === 0 && request.start ? filled.vcpus : 0, purpose },
      spindleUse: volumes === undefined ? 0 : filled.spindle_use,
    },
    ...(volumes === undefined ? {} : { volumes }),
  }));
  await world.hooks.before(foundOfCommit(now, complete, nodes));
  await take(world, {
    ...{ demands, except: [stored.uuid] },
    decide: (latest) => {
      const before = latest.instance(stored.uuid);
      if (before === undefined || !before.forthcoming) {
        const text = `Instance ${shownName(stored)} (with uuid ${stored.uuid}) is no longer forthcoming`;
        throw new PrereqError("wrong_state", text);
      }
      if (op.dry_run) return { changes: [], value: undefined };
      checkNameFree(latest, complete.name, stored.uuid);
      const { serial_no, ...rest } = complete;
      const object = {
        ...rest,
        ...(before.serial_no === undefined ? {} : { serial_no: before.serial_no }),
      };
      const pools = poolChanges(latest, before.nics, complete.nics);
      const mark = commitMark(latest, world, stored.uuid);
      return {
        changes: [
          { kind: "put", type: "instance", object },
          { kind: "put", type: "instance", object: mark },
          ...pools,
        ],
        value: undefined,
      };
    },
  });
  if (isDryRun(world, op)) return nodes;
  return makeInstance(world, {
    ...{ uuid: stored.uuid, start: request.start, waitForSync: op.wait_for_sync },
    ...{ install: !op.no_install, debugLevel: op.debug_level, isCommit: true },
    ...{ secretOsparams: op.osparams_secret ?? {}, adopted: undefined },
  });
}

const sized = (disks: readonly (RealDisk | ForthcomingDisk)[]) =>
  disks.map((disk) => ({
    ...{ dev_type: "plain", logical_id: [(disk.children[0] ?? disk).logical_id?.[0] ?? ""] },
    size: (disk.size ?? 0) + (disk.dev_type === "drbd" ? drbdMetaMib : 0),
  }));

/** What was given lies over what is stored. */
function completed(
  world: World,
  now: Snapshot,
  op: CreateOp,
  stored: ForthcomingInstance,
  name: string | undefined,
): ForthcomingInstance {
  const hypervisor = op.hypervisor ?? stored.hypervisor;
  const texts = (given: CreateOp["osparams"] | undefined) =>
    (given ?? {}) as Record<string, ParameterValue>;
  const os = op.os_type ?? stored.os ?? (op.no_install ? "" : undefined);
  const nics =
    op.nics === undefined
      ? stored.nics
      : allottedNics(
          now,
          world.config.random,
          plannedNics(now, op.nics, { checkedIp: undefined }),
          stored.primary_node,
          op.conflicts_check,
        ).nics;
  return {
    ...stored,
    ...(name === undefined ? {} : { name }),
    ...(os === undefined ? {} : { os }),
    ...(hypervisor === undefined ? {} : { hypervisor: checkedHypervisor(now, hypervisor) }),
    nics,
    beparams: { ...stored.beparams, ...checkedBeparams(now, op.beparams).own },
    hvparams: { ...stored.hvparams, ...checkedHvparams(now, op.hvparams, hypervisor) },
    osparams: { ...stored.osparams, ...texts(op.osparams) },
    osparams_private: { ...stored.osparams_private, ...texts(op.osparams_private) },
    admin_state: "down",
    admin_state_source: "admin",
    disks_active: false,
    tags: withTags(stored.tags, op.tags),
  };
}

/** All that an instance must have is there. @throws PrereqError that names what is missing */
function checkedComplete(now: Snapshot, op: CreateOp, instance: ForthcomingInstance) {
  const disks = now.disksOf(instance);
  const template = diskTemplate(now, instance);
  const missing = [
    ...(instance.name === undefined ? ["name"] : []),
    ...(instance.primary_node === undefined ? ["pnode"] : []),
    ...(instance.hypervisor === undefined ? ["hypervisor"] : []),
    ...(instance.os === undefined ? ["os"] : []),
    ...(template === undefined ? ["disk_template"] : []),
    ...(op.disk_template !== undefined && op.disk_template !== "diskless" && disks.length === 0
      ? ["disks"]
      : []),
    ...disks.flatMap(({ size, logical_id }, at) =>
      !size || logical_id === undefined ? [`disk/${at} size`] : [],
    ),
  ];
  if (missing.length > 0 || instance.primary_node === undefined) {
    const list = missing.join(", ");
    const text = `Instance ${instance.uuid} cannot be created, missing parameters: ${list}`;
    throw new PrereqError("wrong_input", text);
  }
  const nodes = [instance.primary_node, ...secondaryNodes(now, instance)];
  return { template: template as DiskTemplate, disks, nodes };
}
