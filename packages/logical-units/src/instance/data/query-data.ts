/** OP_INSTANCE_QUERY_DATA: data of instances, from the configuration and from their nodes. */
import {
  diskTemplate,
  filledBeparams,
  filledHvparams,
  filledNicparams,
  filledOsparams,
  globalHvparams,
  groupOf,
  nodesOfInstance,
  type Snapshot,
  secondaryNodes,
} from "@ganeti-ts/config";
import type { InstanceObject, Json, JsonObject, OpcodeOf, RealInstance } from "@ganeti-ts/protocol";
import { compareNaturally } from "@ganeti-ts/protocol";
import { valueOrFail, warn } from "../../unit/effects.js";
import { asShared, groupLock, instanceLock, networkLock, nodeLock } from "../../unit/locks.js";
import { areChecksAll, contextAt, type Unit, type UnitContext } from "../../unit/unit.js";
import { isUserDown, runtimeInfo } from "../running/running.js";
import { nodeName, shownName } from "../state.js";
import { diskData, diskStatuses, foundDisks } from "./disk-data.js";

type Op = OpcodeOf<"OP_INSTANCE_QUERY_DATA">;

export const queryData: Unit<"OP_INSTANCE_QUERY_DATA"> = {
  opcode: "OP_INSTANCE_QUERY_DATA",

  /** Static data need no locks. */
  locks(op, now) {
    if (op.static && !op.use_locking) return [];
    // The run reports the unknown name after its warning.
    if (op.instances.some((name) => now.findInstance(name) === undefined)) return [];
    return wantedInstances(op, now).flatMap((instance) => {
      if (instance.forthcoming) return asShared(instanceLock(instance));
      const nodes = nodesOfInstance(now, instance);
      return asShared(
        instanceLock(instance),
        ...nodes.flatMap((node) => groupOf(now, node)?.uuid ?? []).map(groupLock),
        ...nodes.map(nodeLock),
        ...instance.nics.flatMap(({ network }) => network ?? []).map(networkLock),
      );
    });
  },

  /** Result: data by instance name. */
  async run(op, world) {
    const now = world.config.snapshot;
    if (!op.static && !op.use_locking) {
      warn(world, "Non-static data requested, locks need to be acquired");
    }
    const wanted = wantedInstances(op, now);
    if (await areChecksAll(world, op)) return null;
    const described = await Promise.all(
      wanted.map(async (instance) => {
        return [
          shownName(instance),
          await instanceData(contextAt(world, now), instance, op.static),
        ] as const;
      }),
    );
    return Object.fromEntries(described);
  },
};

/** The named instances, or all. @throws ConfigError */
function wantedInstances({ instances }: Op, now: Snapshot): readonly InstanceObject[] {
  if (instances.length > 0) return instances.map((name) => now.expectInstance(name));
  return [...now.instances()].sort((a, b) => compareNaturally(shownName(a), shownName(b)));
}

/**
 * `isStatic`: only data from the configuration, which is also all there is for reservations; values
 * that these leave open are null. @throws ExecError
 */
async function instanceData(
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
