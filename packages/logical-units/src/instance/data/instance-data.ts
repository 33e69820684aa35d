/** Data of an instance in Ganeti's form. */
import {
  diskTemplate,
  filledBeparams,
  filledHvparams,
  filledNicparams,
  filledOsparams,
  globalHvparams,
  groupOf,
  type Snapshot,
  secondaryNodes,
} from "@ganeti-ts/config";
import type { InstanceObject, Json, JsonObject, RealInstance } from "@ganeti-ts/protocol";
import { valueOrFail, warn } from "../../unit/effects.js";
import type { UnitContext } from "../../unit/unit.js";
import { isUserDown, runtimeInfo } from "../running/running.js";
import { nodeName, shownName } from "../state.js";
import { diskData, diskStatuses, foundDisks } from "./disk-data.js";

/**
 * `isStatic`: only data from the configuration, which is also all there is for reservations; values
 * that these leave open are null. @throws ExecError
 */
export async function instanceData(
  context: UnitContext,
  instance: InstanceObject,
  isStatic: boolean,
): Promise<JsonObject> {
  const { now } = context;
  const asksNobody = isStatic || instance.forthcoming === true;
  const runState = instance.forthcoming
    ? // A reservation does not run, and an offline node does not answer.
      isStatic
      ? null
      : "down"
    : await runStateOf(context, instance, isStatic);
  const found = await foundDisks(context, instance, asksNobody);
  const { primary_node: primary } = instance;
  const secondaries = secondaryNodes(now, instance);
  const group = groupOf(now, primary);
  const groups = secondaries.map((node) => groupOf(now, node));
  const osparams = filledOsparams(now, instance);
  return {
    name: shownName(instance),
    config_state: instance.admin_state ?? null,
    run_state: runState,
    pnode: primary === undefined ? null : nodeName(now, primary),
    pnode_group_uuid: group?.uuid ?? null,
    pnode_group_name: group?.name ?? null,
    snodes: secondaries.map((node) => nodeName(now, node)),
    snodes_group_uuids: groups.map((one) => one?.uuid ?? null),
    snodes_group_names: groups.map((one) => one?.name ?? null),
    os: instance.os ?? null,
    nics: nicsData(now, instance),
    disk_template: diskTemplate(now, instance) ?? null,
    disks: found.map((disk) => diskData(now, instance, disk)),
    disk_status: asksNobody ? null : diskStatuses(now, instance, found),
    hypervisor: instance.hypervisor ?? null,
    network_port: instance.network_port ?? null,
    hv_instance: { ...instance.hvparams },
    hv_actual: withoutGlobals(filledHvparams(now, instance)),
    be_instance: { ...instance.beparams },
    be_actual: { ...filledBeparams(now, instance) },
    os_instance: { ...instance.osparams },
    os_actual: { ...osparams.public },
    serial_no: instance.serial_no ?? null,
    mtime: instance.mtime ?? null,
    ctime: instance.ctime ?? null,
    uuid: instance.uuid,
    ...(instance.forthcoming ? { forthcoming: true } : {}),
  } as JsonObject;
}

/** Run state in Ganeti's words; null if it is not requested or cannot be determined. */
async function runStateOf(
  context: UnitContext,
  instance: RealInstance,
  isStatic: boolean,
): Promise<string | null> {
  const { now } = context;
  const { primary_node: primary, admin_state, admin_state_source } = instance;
  if (now.node(primary)?.offline) {
    warn(
      context,
      `Primary node ${nodeName(now, primary)} is marked offline, returning static information only` +
        ` for instance ${instance.name}`,
    );
    return null;
  }
  if (isStatic) return null;
  const running = valueOrFail(
    await runtimeInfo(context, instance),
    `Error checking node ${nodeName(now, primary)}`,
  );
  if (running === null) {
    if (admin_state === "offline") return "offline";
    return admin_state === "down" && admin_state_source === "user" ? "user down" : "down";
  }
  if (running.state !== "shutdown") return "up";
  const isAllowed = now.cluster.enabled_user_shutdown && isUserDown(now, instance, running);
  return isAllowed ? "user down" : "down";
}

/** Name, UUID, address, MAC, mode, link, VLAN, network and its entry, for each NIC. */
const nicsData = (now: Snapshot, instance: InstanceObject): readonly Json[] =>
  instance.nics.map((nic) => {
    const { mode, link, vlan } = filledNicparams(now, instance, nic);
    const network = nic.network === undefined ? undefined : now.network(nic.network);
    return [
      ...[nic.name ?? null, nic.uuid, nic.ip ?? null, nic.mac ?? null, mode, link, vlan],
      ...[nic.network ?? null, network === undefined ? null : ({ ...network } as Json)],
    ];
  });

const withoutGlobals = (hvparams: Readonly<Record<string, Json>>): JsonObject =>
  Object.fromEntries(
    Object.entries(hvparams).filter(
      ([name]) => !(globalHvparams as readonly string[]).includes(name),
    ),
  );
