/** Completed form of a reservation: its stored values overlaid with those of the opcode. */

import {
  allocatePort,
  diskTemplate,
  groupOf,
  groupPolicy,
  type Snapshot,
  secondaryNodes,
  templateOfTypes,
  withTags,
} from "@ganeti-ts/config";
import {
  type ClusterObject,
  type DiskChanges,
  type DiskTemplate,
  type ForthcomingDisk,
  type ForthcomingInstance,
  isMirrored,
  type NicChanges,
  type NicObject,
  type NodeUuid,
  type OpcodeDisk,
  type OpcodeNic,
  type ParameterValue,
} from "@ganeti-ts/protocol";
import { wrongInput } from "../../unit/refusals.js";
import type { UnitContext } from "../../unit/unit.js";
import { forthcomingDisks } from "../plan/forthcoming-disks.js";
import { changedNics, checkNicArguments } from "../plan/nic-changes.js";
import { placedNics } from "../plan/nics.js";
import {
  type CreateOp,
  checkedBeparams,
  checkedHvparams,
  checkedHypervisor,
  checkNoAdoption,
  communicationNic,
  newCommunicationNic,
  usualHypervisor,
} from "./request.js";
import { needsPort } from "./reservation.js";

export interface Completion {
  /** The instance with all values available so far. */
  readonly instance: ForthcomingInstance;
  readonly disks: readonly ForthcomingDisk[];
  /** The cluster without the ports allocated for the instance. */
  readonly cluster: ClusterObject;
  /** Lines for the job's log. */
  readonly notes: readonly string[];
}

/**
 * Computed from the current configuration. `known`: NICs of an earlier call, whose generated MAC
 * addresses are kept. @throws PrereqError, ConfigError
 */
export function completion(
  context: UnitContext,
  op: CreateOp,
  stored: ForthcomingInstance,
  name: string | undefined,
  known: readonly NicObject[] = [],
): Completion {
  const { now } = context;
  const given =
    op.hypervisor ??
    stored.hypervisor ??
    usualHypervisor(now, { ...stored.hvparams, ...op.hvparams });
  const hypervisor = given === undefined ? undefined : checkedHypervisor(now, given);
  const texts = (parameters: CreateOp["osparams"] | undefined) =>
    (parameters ?? {}) as Record<string, ParameterValue>;
  const osparams = { ...stored.osparams, ...texts(op.osparams) };
  const isBare = op.no_install === true || osparams["os-image"] !== undefined;
  const os = op.os_type ?? stored.os ?? (isBare ? "" : undefined);
  const named = { ...stored, ...(name === undefined ? {} : { name }) };
  const disks = completedDisks(context, op, named);
  const nics = completedNics(context, op, named, known);
  const cluster = disks.changes.find((one) => one.kind === "cluster")?.object ?? now.cluster;
  const wantsPort = stored.network_port === undefined && needsPort.has(hypervisor ?? "");
  const ported = wantsPort ? allocatePort(cluster) : { port: undefined, cluster };
  const instance: ForthcomingInstance = {
    ...named,
    ...(os === undefined ? {} : { os }),
    ...(hypervisor === undefined ? {} : { hypervisor }),
    ...(ported.port === undefined ? {} : { network_port: ported.port }),
    nics: nics.nics,
    disks: disks.objects.map(({ uuid }) => uuid),
    beparams: { ...stored.beparams, ...checkedBeparams(now, op.beparams).own },
    hvparams: { ...stored.hvparams, ...checkedHvparams(now, op.hvparams, hypervisor, os) },
    osparams,
    osparams_private: { ...stored.osparams_private, ...texts(op.osparams_private) },
    admin_state: "down",
    admin_state_source: "admin",
    disks_active: false,
    tags: withTags(stored.tags, op.tags),
  };
  return {
    instance,
    disks: disks.objects,
    cluster: ported.cluster,
    notes: nics.notes,
  };
}

/** Given disks replace the stored ones; a disk for which nothing is given stays as stored. */
function completedDisks(context: UnitContext, op: CreateOp, stored: ForthcomingInstance) {
  const { now } = context;
  const old = now.disksOf(stored) as readonly ForthcomingDisk[];
  const [secondary] = secondaryNodes(now, stored);
  const place = { primary: stored.primary_node, secondary, keepsOld: true };
  const { disks = old.map(() => ({})), file_driver, file_storage_dir } = op;
  const own = diskTemplate(now, stored);
  const template = op.disk_template === own ? undefined : op.disk_template;
  const mods: DiskChanges = [];
  for (const [at, given] of disks.entries()) {
    const before = old[at];
    if (before === undefined) mods.push(["add", -1, given]);
    else if (saysMore(given, before)) mods.push(["modify", at, given]);
  }
  for (const _ of old.slice(disks.length)) mods.push(["remove", disks.length, {}]);
  const changes = { disks: mods, disk_template: template, file_driver, file_storage_dir };
  return forthcomingDisks(context, stored, changes, place);
}

const saysMore = (given: OpcodeDisk, stored: ForthcomingDisk): boolean =>
  Object.entries(given).some(([key, value]) => {
    if (key === "vg") return value !== ((stored.children[0] ?? stored).logical_id?.[0] ?? value);
    return value !== (stored as Readonly<Record<string, unknown>>)[key];
  });

/** Given NICs replace the stored ones, which supply the values that are not given. */
function completedNics(
  context: UnitContext,
  op: CreateOp,
  stored: ForthcomingInstance,
  known: readonly NicObject[],
): { readonly nics: readonly NicObject[]; readonly notes: readonly string[] } {
  const { now } = context;
  const { name = "", primary_node: node } = stored;
  const before = stored.nics.map((nic) =>
    // A NIC made before the instance had a name gets the name now.
    nic.name === communicationNic("") ? { ...nic, name: communicationNic(name) } : nic,
  );
  const wanted: readonly OpcodeNic[] = op.nics ?? before.map(() => ({}));
  // Routed NICs need an address.
  const isRouted = now.cluster.nicparams.default.mode === "routed";
  const missing = isRouted ? 0 : wantedNicCount(now, op, stored);
  const filled = Array.from({ length: missing }, () => ({}));
  const all = withCommunication(now, op, name, before, [...wanted, ...filled]);
  const mods: NicChanges = [];
  for (const [at, given] of all.entries()) {
    const mac = known[at]?.mac;
    const said = saidOfNic(given);
    if (at >= before.length) mods.push(["add", -1, { ...given, ...(mac && { mac }) }]);
    else if (Object.keys(said).length > 0) mods.push(["modify", at, said]);
  }
  for (const _ of before.slice(all.length)) mods.push(["remove", all.length, {}]);
  checkNicArguments(mods);
  const where = { node, conflictsCheck: op.conflicts_check, isReserved: true };
  const made = changedNics(now, context.config.random, before, mods, where);
  const added =
    filled.length === 0 ? [] : [` - INFO: Adding ${filled.length} NIC(s), as the policy wants`];
  return { nics: placedNics(now, made.nics, node, before), notes: [...added, ...made.notes] };
}

/** The values of a creation for a NIC that already has its address. */
const saidOfNic = (given: OpcodeNic): OpcodeNic =>
  Object.fromEntries(
    Object.entries(given).filter(
      ([key, value]) =>
        value !== null && !(key === "mac" && (value === "auto" || value === "generate")),
    ),
  );

function withCommunication(
  { cluster }: Snapshot,
  op: CreateOp,
  instanceName: string,
  before: ForthcomingInstance["nics"],
  wanted: readonly OpcodeNic[],
): readonly OpcodeNic[] {
  const name = communicationNic(instanceName);
  if (!op.instance_communication || [...before, ...wanted].some((nic) => nic.name === name)) {
    return wanted;
  }
  return [...wanted, newCommunicationNic(cluster, name)];
}

/** Number of NICs that the policy requires if the opcode gives none. */
function wantedNicCount(
  now: Snapshot,
  op: CreateOp,
  { primary_node, nics }: ForthcomingInstance,
): number {
  const group = groupOf(now, primary_node);
  const isSaid = nics.length > 0 || op.nics !== undefined;
  if (isSaid || group === undefined || op.ignore_ipolicy) return 0;
  return Math.min(...groupPolicy(now, group).minmax.map(({ min }) => min["nic-count"]));
}

export interface Complete {
  readonly template: DiskTemplate;
  readonly nodes: readonly NodeUuid[];
}

/** The instance with all required values. @throws PrereqError that names the missing ones */
export function checkedComplete(
  now: Snapshot,
  op: CreateOp,
  stored: ForthcomingInstance,
  { instance, disks }: Completion,
): Complete {
  const types = disks.map(({ dev_type }) => dev_type);
  const template = types.includes(undefined) ? undefined : templateOfTypes(types as never);
  if (template !== undefined) checkNoAdoption(template);
  const secondaries = secondaryNodes(now, stored);
  const isPair = isMirrored(template);
  const missing = [
    ...(instance.name === undefined ? ["name"] : []),
    ...(instance.primary_node === undefined ? ["pnode"] : []),
    ...(isPair && secondaries.length === 0 ? ["snode"] : []),
    ...(instance.hypervisor === undefined ? ["hypervisor"] : []),
    ...(instance.os === undefined ? ["os"] : []),
    ...(template === undefined ? ["disk_template"] : []),
    ...(wantedNicCount(now, op, instance) > 0 ? ["nics"] : []),
    ...(disks.length === 0 && !mayBeDiskless(now, op, instance) ? ["disks"] : []),
    ...disks.flatMap(({ size }, at) => (size ? [] : [`disk/${at} size`])),
  ];
  if (missing.length > 0 || instance.primary_node === undefined) {
    const list = missing.join(", ");
    wrongInput(`Instance ${instance.uuid} cannot be created, missing parameters: ${list}`);
  }
  const nodes = [instance.primary_node, ...(isPair ? secondaries : [])];
  return { template: template as DiskTemplate, nodes };
}

/**
 * Whether the instance may have no disks: requested explicitly, or nothing was requested and the
 * policy accepts it.
 */
function mayBeDiskless(
  now: Snapshot,
  op: CreateOp,
  { primary_node, disk_template }: ForthcomingInstance,
): boolean {
  const wanted = op.disk_template ?? disk_template;
  if (wanted !== undefined) return wanted === "diskless";
  const group = groupOf(now, primary_node);
  if (!now.cluster.enabled_disk_templates.includes("diskless") || group === undefined) return false;
  return op.ignore_ipolicy || groupPolicy(now, group)["disk-templates"].includes("diskless");
}
