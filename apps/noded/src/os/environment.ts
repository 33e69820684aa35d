/** Environment variables of OS scripts. */
import type { DiskOnNode, InstanceOnNode, NicOnNode } from "@ganeti-ts/node-calls";
import { isFileBased, type Json, pythonText } from "@ganeti-ts/protocol";
import { type FoundOs, splitName } from "./definition.js";

type Value = Json | undefined;

const textOf = (value: Value): string => pythonText(value ?? null);

export type Environment = Readonly<Record<string, string>>;

/** Variables that every script gets, `verify` too. `name` is the OS with its variant. */
export function coreEnvironment(
  os: FoundOs,
  name: string,
  parameters: Readonly<Record<string, Json>>,
  debugLevel = 0,
): Environment {
  const version = os.effectiveVersion ?? 0;
  const given = splitName(name).variant;
  const variant = version >= 15 && os.variants.length > 0 ? given || (os.variants[0] ?? "") : "";
  const ofParameters = Object.entries(parameters).map(([key, value]) => [
    `OSP_${key.toUpperCase().replaceAll("-", "_")}`,
    textOf(value),
  ]);
  return {
    OS_API_VERSION: String(version),
    OS_NAME: os.name,
    DEBUG_LEVEL: String(debugLevel),
    OS_VARIANT: variant,
    ...Object.fromEntries(ofParameters),
    PATH: "/sbin:/bin:/usr/sbin:/usr/bin",
  };
}

/** The device of a disk as scripts see it. */
export interface ScriptDevice {
  /** Null for storage that only hypervisors can open. */
  readonly path: string | null;
  readonly uri: string | null;
}

/** All variables about the instance. `devices` belong to its disks, in the same order. */
export function instanceEnvironment(
  os: FoundOs,
  instance: InstanceOnNode,
  devices: readonly ScriptDevice[],
  debugLevel: number,
): Environment {
  const parameters = { ...instance.osparams, ...instance.osparams_private };
  const isOld = (os.effectiveVersion ?? 0) < 15;
  const variables: Record<string, string> = {
    ...coreEnvironment(os, instance.os ?? "", parameters, debugLevel),
    INSTANCE_NAME: instance.name,
    INSTANCE_OS: textOf(instance.os),
    INSTANCE_UUID: instance.uuid,
    INSTANCE_CTIME: textOf(instance.ctime),
    INSTANCE_MTIME: textOf(instance.mtime),
    INSTANCE_PRIMARY_NODE: textOf(instance.primary_node),
    INSTANCE_SECONDARY_NODES: (instance.secondary_nodes ?? []).join(" "),
    HYPERVISOR: instance.hypervisor,
    DISK_COUNT: String(instance.disks.length),
    NIC_COUNT: String(instance.nics.length),
  };
  for (const [index, disk] of instance.disks.entries()) {
    const own = diskVariables(disk, devices[index] ?? { path: null, uri: null }, instance);
    addAll(variables, `DISK_${index}_`, own);
  }
  for (const [index, nic] of instance.nics.entries()) {
    addAll(variables, `NIC_${index}_`, nicVariables(nic, instance));
  }
  // Scripts of older interface versions must not get variables that came with version 15.
  if (isOld) return variables;
  addAll(variables, "INSTANCE_HV_", instance.hvparams);
  addAll(variables, "INSTANCE_BE_", instance.beparams);
  return { ...variables, INSTANCE_HYPERVISOR: instance.hypervisor };
}

function addAll(
  variables: Record<string, string>,
  prefix: string,
  values: Readonly<Record<string, Value>>,
): void {
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) variables[prefix + name] = textOf(value);
  }
}

function diskVariables(
  disk: DiskOnNode,
  { path, uri }: ScriptDevice,
  { hvparams }: InstanceOnNode,
): Record<string, Value> {
  return {
    ...(path !== null && { PATH: path }),
    URI: uri ?? "",
    SIZE: disk.size,
    ACCESS: disk.mode ?? "rw",
    UUID: disk.uuid,
    ...(disk.name && { NAME: disk.name }),
    FRONTEND_TYPE: hvparams.disk_type,
    BACKEND_TYPE: isFileBased(disk.dev_type) ? `file:${textOf(disk.logical_id[0])}` : "block",
  };
}

function nicVariables(
  { uuid, mac, ip, name, nicparams, netinfo }: NicOnNode,
  { hvparams }: InstanceOnNode,
): Record<string, Value> {
  const { mode, link } = nicparams;
  const network = netinfo ?? undefined;
  const tags = network?.tags;
  return {
    MAC: mac ?? undefined,
    UUID: uuid,
    ...(name && { NAME: name }),
    ...(ip && { IP: ip }),
    MODE: mode,
    ...(link && { LINK: link }),
    ...(mode === "bridged" && { BRIDGE: link }),
    FRONTEND_TYPE: hvparams.nic_type,
    NETWORK_NAME: network?.name,
    NETWORK_UUID: network?.uuid,
    NETWORK_SUBNET: network?.network ?? undefined,
    NETWORK_GATEWAY: network?.gateway ?? undefined,
    NETWORK_SUBNET6: network?.network6 ?? undefined,
    NETWORK_GATEWAY6: network?.gateway6 ?? undefined,
    NETWORK_MAC_PREFIX: network?.mac_prefix ?? undefined,
    NETWORK_TAGS: Array.isArray(tags) && tags.length > 0 ? tags.join(" ") : undefined,
  };
}
