/**
 * Request for a new instance: the parameters of an opcode, checked as far as possible without
 * nodes.
 */

import { defaultHvparams, globalHvparams, readVlan, type Snapshot } from "@ganeti-ts/config";
import { OperationError, refusalWithoutCode } from "@ganeti-ts/job-queue";
import type {
  Beparams,
  ClusterObject,
  DiskTemplate,
  Hypervisor,
  OpcodeDisk,
  OpcodeNic,
  OpcodeOf,
  Parameters,
  PartialBeparams,
} from "@ganeti-ts/protocol";
import { adoptionOf, diskTemplates, isFileBased, isMirrored } from "@ganeti-ts/protocol";
import { wrongInput, wrongState } from "../../unit/refusals.js";
import { checkHvparamSyntax } from "../parameters/hypervisor-syntax.js";
import {
  beparamTypes,
  hvparamTypes,
  roundedSize,
  typedParameters,
  withoutMemoryAlias,
} from "../parameters/parameter-types.js";
import { checkDeviceNames, normalizedHostname } from "../plan/names.js";
import { helperTimeouts } from "../system/virtual-install.js";

export type CreateOp = OpcodeOf<"OP_INSTANCE_CREATE">;

export interface CreateRequest {
  readonly op: CreateOp;
  /** Undefined for a reservation without a name. */
  readonly name: string | undefined;
  readonly template: DiskTemplate;
  readonly disks: readonly OpcodeDisk[];
  readonly nics: readonly OpcodeNic[];
  readonly adopts: boolean;
  readonly start: boolean;
  readonly driver: string;
}

/**
 * Checks of the parameters alone, in Ganeti's order. @param notes receives lines for the job's log,
 * including those that precede a refusal @throws PrereqError
 */
export function createRequest(now: Snapshot, op: CreateOp, notes: string[] = []): CreateRequest {
  const { cluster } = now;
  if (op.forthcoming && op.commit) {
    wrongInput("Forthcoming generation and commiting are mutually exclusive");
  }
  const { mode = "create" } = op;
  if (op.forthcoming && mode !== "create") {
    wrongInput("forthcoming instances can only be created, not imported");
  }
  if (op.commit && mode !== "create") wrongInput("A reservation is made real by the mode create");
  const start = op.start && !op.no_install && !op.forthcoming;
  if (op.no_install && op.start) {
    notes.push(" - INFO: No-installation mode selected, disabling startup");
  }
  const isNamed = op.instance_name !== undefined && op.instance_name !== "";
  const name = isNamed ? normalizedHostname(op.instance_name ?? "") : undefined;
  if (op.ip_check && !op.name_check) wrongInput("Cannot do IP address check without a name check");
  const nics = nicsOf(op, name, cluster);
  checkDeviceNames("NIC", nics);
  for (const { vlan } of nics) readVlan(vlan ?? "");
  const disks = (op.disks ?? []).map(withRoundedSize);
  checkDeviceNames("disk", disks);
  const template = templateOf(now, op.disk_template);
  const adopts = checkAdoption(op, template, disks);
  checkPlacement(op, template, cluster, notes);
  if (mode !== "create") notes.push(...importNotes(op));
  else if (!op.commit) checkOs(op, cluster.blacklisted_os);
  const driver = op.file_driver ?? (isFileBased(template) ? "loop" : "");
  return { op, name, template, disks, nics, adopts, start, driver };
}

/** Rounds sizes of new disks as Ganeti does. */
export const withRoundedSize = (disk: OpcodeDisk): OpcodeDisk =>
  disk.size === undefined ? disk : { ...disk, size: roundedSize(disk.size) };

/** The given NICs, with the one to the metadata service if requested. */
function nicsOf(
  op: CreateOp,
  name: string | undefined,
  cluster: ClusterObject,
): readonly OpcodeNic[] {
  const nics = op.nics ?? [];
  if (!op.instance_communication) return nics;
  const own = communicationNic(name ?? "");
  if (nics.some((nic) => nic.name === own)) return nics;
  return [...nics, newCommunicationNic(cluster, own)];
}

/** Timeouts of a helper VM that installs the operating system. */
export const helperOf = (
  op: CreateOp,
): { readonly startup: number; readonly shutdown: number } => ({
  startup: op.helper_startup_timeout ?? helperTimeouts.startup,
  shutdown: op.helper_shutdown_timeout ?? helperTimeouts.shutdown,
});

/** Name of the NIC to the metadata service. */
export const communicationNic = (instanceName: string): string =>
  `ganeti:communication:${instanceName}`;

/** @throws PrereqError if the cluster has no network for it */
export function newCommunicationNic(
  { instance_communication_network: network }: ClusterObject,
  name: string,
): OpcodeNic & { readonly name: string } {
  if (network === "") {
    wrongState(
      "Instance communication needs a network, and the cluster has none for it;" +
        " see 'gnt-cluster modify --instance-communication-network'",
    );
  }
  return { name, mac: "generate", ip: "pool", network };
}

export function templateOf({ cluster }: Snapshot, given: DiskTemplate | undefined): DiskTemplate {
  const enabled = cluster.enabled_disk_templates;
  const template = given ?? enabled[0] ?? "diskless";
  if (!diskTemplates.includes(template)) {
    wrongInput(
      `'${template}' is not a valid disk template. Valid disk templates are: ${diskTemplates.join(",")}`,
    );
  }
  if (!enabled.includes(template)) {
    throw refusalWithoutCode(
      `Disk template '${template}' is not enabled in cluster. Enabled disk templates are: ${enabled.join(",")}`,
    );
  }
  return template;
}

function checkAdoption(op: CreateOp, template: string, disks: readonly OpcodeDisk[]): boolean {
  const adopting = disks.filter(({ adopt }) => adopt !== undefined).length;
  if (adopting > 0 && adopting < disks.length) {
    wrongInput("Either all disks are adopted or none is");
  }
  if (adopting === 0) {
    const isOpen = op.forthcoming && op.disk_template === undefined && disks.length === 0;
    if (!isOpen && !op.commit) checkNoAdoption(template);
    return false;
  }
  if (op.forthcoming || op.commit) {
    wrongInput("Disk adoption is not supported for forthcoming instances");
  }
  if (adoptionOf(template) === undefined) {
    wrongInput(`Disk adoption is not supported for the '${template}' disk template`);
  }
  if (op.iallocator !== undefined) {
    wrongInput("Disk adoption not allowed with an iallocator script");
  }
  if (op.mode === "import") wrongInput("Disk adoption not allowed for instance import");
  return true;
}

/** @throws PrereqError for a template whose disks must be adopted */
export function checkNoAdoption(template: string): void {
  if (adoptionOf(template) !== "required") return;
  wrongInput(`Disk template ${template} requires disk adoption, but no 'adopt' parameter given`);
}

/** Whether an allocator chooses nodes if none are given. */
export const hasDefaultAllocator = (cluster: Snapshot["cluster"]): boolean =>
  cluster.default_iallocator !== "" || (cluster.default_iallocators?.allocate ?? []).length > 0;

function checkPlacement(
  op: CreateOp,
  template: string,
  cluster: Snapshot["cluster"],
  notes: string[],
): void {
  if (op.commit) return;
  const hasDefault = hasDefaultAllocator(cluster);
  if (op.pnode !== undefined && op.iallocator !== undefined) {
    wrongInput("Do not specify both, iallocator and node");
  }
  const usesDefault = op.pnode === undefined && (op.iallocator ?? ".") === ".";
  if (usesDefault && !hasDefault && !op.forthcoming) {
    wrongInput(
      "No iallocator or node given and no cluster-wide default iallocator found; please specify" +
        " either an iallocator or a node, or set a cluster-wide default iallocator",
    );
  }
  if (op.pnode === undefined) return;
  const isSized = !op.forthcoming || (op.disks ?? []).some(({ size }) => size);
  if (isMirrored(template) && op.snode === undefined && isSized) {
    wrongInput("The networked disk templates need a mirror node");
  }
  if (!isMirrored(template) && op.snode !== undefined) {
    notes.push(" - WARNING: Secondary node will be ignored on non-mirrored disk template");
  }
  if (op.opportunistic_locking) {
    wrongInput("Opportunistic locking is only available in combination with an instance allocator");
  }
}

function importNotes({ mode, no_install, osparams }: CreateOp): readonly string[] {
  const hasImage = osparams["os-image"] !== undefined;
  return [
    ...(no_install && mode === "import"
      ? ["No-installation mode has no effect during import"]
      : []),
    ...(hasImage ? ["OS image has no effect during import"] : []),
  ].map((text) => ` - INFO: ${text}`);
}

function checkOs(op: CreateOp, blacklisted: readonly string[]): void {
  const isUnsaid = op.os_type === undefined && op.osparams["os-image"] === undefined;
  if (isUnsaid && !op.forthcoming) wrongInput("No guest OS or OS image specified");
  checkOsAllowed(op.os_type, op.osparams, blacklisted);
}

/**
 * Checks that the image, if any, has a valid address and that the operating system is allowed.
 * @throws PrereqError
 */
export function checkOsAllowed(
  os: string | undefined,
  osparams: Readonly<Record<string, unknown>> = {},
  blacklisted: readonly string[],
): void {
  const image = osparams["os-image"];
  if (typeof image === "string" && !image.startsWith("/") && !/^[a-z]+:\/\//.test(image)) {
    wrongInput("OS image must be an absolute path or a URL");
  }
  if (os !== undefined && blacklisted.includes(os)) {
    wrongState(`Guest OS '${os}' is not allowed for installation`);
  }
}

/** @throws PrereqError `wrong_state` */
export function checkedHypervisor({ cluster }: Snapshot, given: string | undefined): Hypervisor {
  const enabled = cluster.enabled_hypervisors;
  const hypervisor = given ?? enabled[0] ?? "";
  const found = enabled.find((one) => one === hypervisor);
  if (found !== undefined) return found;
  const list = enabled.join(",");
  wrongState(`Selected hypervisor (${hypervisor}) not enabled in the cluster (${list})`);
}

/**
 * Typed and checked parameters, without those that only the cluster or other hypervisors have; if
 * `hypervisor` is undefined, one enabled hypervisor must accept them all.
 */
export function checkedHvparams(
  now: Snapshot,
  given: CreateOp["hvparams"],
  hypervisor: string | undefined,
  os: string | undefined,
): Parameters {
  const typed = typedParameters(given, hvparamTypes(now));
  checkSupported(now, typed, hypervisor);
  if (hypervisor !== undefined) {
    const { hvparams, os_hvp: ofOs } = now.cluster;
    const below = { ...hvparams[hypervisor], ...ofOs[os ?? ""]?.[hypervisor] };
    checkHvparamSyntax(hypervisor, { ...below, ...typed });
  }
  checkNotGlobal(typed);
  return typed;
}

/** @throws PrereqError for hypervisor parameters that only the cluster has */
export function checkNotGlobal(given: Readonly<Record<string, unknown>>): void {
  const global = globalHvparams.filter((name) => Object.hasOwn(given, name));
  if (global.length === 0) return;
  wrongInput(
    "The following hypervisor parameters are global and cannot be customized at instance level," +
      ` please modify them at cluster level: ${global.join(", ")}`,
  );
}

/** @throws OperationError HypervisorError */
function checkSupported(now: Snapshot, given: Parameters, hypervisor: string | undefined): void {
  const enabled = now.cluster.enabled_hypervisors;
  const candidates = hypervisor === undefined ? enabled : [hypervisor as Hypervisor];
  const faults = candidates.map((one) => strangeParameter(now, given, one));
  const [strange] = faults;
  if (strange === undefined || faults.includes(undefined)) return;
  throw new OperationError("HypervisorError", [`Parameter '${strange}' is not supported`]);
}

/**
 * The cluster's default hypervisor, or else the first enabled one that accepts all of the
 * parameters.
 */
export const usualHypervisor = (
  now: Snapshot,
  hvparams: Readonly<Record<string, unknown>>,
): Hypervisor | undefined =>
  now.cluster.enabled_hypervisors.find(
    (one) => strangeParameter(now, hvparams as Parameters, one) === undefined,
  );

/**
 * The first parameter without a value at cluster level; a cluster from an older file may lack some
 * values.
 */
function strangeParameter(
  { cluster }: Snapshot,
  given: Parameters,
  hypervisor: Hypervisor,
): string | undefined {
  const known = { ...defaultHvparams[hypervisor], ...cluster.hvparams[hypervisor] };
  return Object.keys(given).find((name) => !Object.hasOwn(known, name));
}

/** Typed; `auto` stands for the cluster's value. */
export function checkedBeparams(
  { cluster }: Snapshot,
  given: CreateOp["beparams"],
): { readonly own: PartialBeparams; readonly filled: Beparams } {
  const defaults = cluster.beparams.default;
  const explicit = Object.entries(given).map(([name, value]) => [
    name,
    value === "auto" ? (defaults as Record<string, number | boolean>)[name] : value,
  ]);
  const own = typedParameters(withoutMemoryAlias(Object.fromEntries(explicit)), beparamTypes);
  const filled = { ...defaults, ...own } as Beparams;
  if (filled.minmem > filled.maxmem) {
    wrongInput(`minmem (${filled.minmem}) must not be larger than maxmem (${filled.maxmem})`);
  }
  return { own: own as PartialBeparams, filled };
}
