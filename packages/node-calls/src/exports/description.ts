import { type Json, pythonText } from "@ganeti-ts/protocol";
import type { DiskOnNode } from "../objects/disk.js";
import type { InstanceOnNode } from "../objects/instance.js";
import type { ExportDescription } from "./calls.js";

type Section = Readonly<Record<string, string>>;

/** Hypervisor parameters of the cluster, which no instance has of its own. Source: `HVC_GLOBALS`. */
const globalHvparams = new Set([
  "migration_bandwidth",
  "migration_mode",
  "migration_port",
  "xen_cmd",
]);

/**
 * The description that a node stores with an export at `finalize_export`, from the arguments of that call:
 * the instance with filled parameters, and the disks that were copied, null for those that were not.
 * Values are texts as Python writes them. Source: Ganeti, `FinalizeExport`.
 */
export function exportDescription(
  instance: InstanceOnNode,
  disks: readonly (DiskOnNode | null)[],
  seconds: number,
): ExportDescription {
  const { maxmem, minmem, vcpus } = instance.beparams;
  const ownHvparams = Object.entries(instance.hvparams).filter(
    ([name]) => !globalHvparams.has(name),
  );
  return {
    export: {
      version: "0",
      timestamp: String(Math.trunc(seconds)),
      source: text(instance.primary_node),
      os: instance.os ?? "",
      compression: "none",
    },
    instance: {
      name: instance.name,
      maxmem: text(maxmem),
      minmem: text(minmem),
      // For versions of Ganeti that know no other memory.
      memory: text(maxmem),
      vcpus: text(vcpus),
      disk_template: template(disks),
      hypervisor: instance.hypervisor,
      tags: (instance.tags ?? []).join(" "),
      ...nicKeys(instance),
      ...diskKeys(disks),
    },
    hypervisor: texts(Object.fromEntries(ownHvparams)),
    backend: texts(instance.beparams),
    os: texts(instance.osparams),
    os_private: texts(instance.osparams_private ?? {}),
  };
}

const text = (value: Json | undefined): string => pythonText(value ?? null);

const texts = (values: { readonly [name: string]: Json }): Section =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, text(value)]));

function template(disks: readonly (DiskOnNode | null)[]): string {
  const types = new Set(disks.flatMap((disk) => disk?.dev_type ?? []));
  const [only = "diskless"] = types;
  return types.size > 1 ? "mixed" : only;
}

function nicKeys({ nics }: InstanceOnNode): Section {
  const keys: Record<string, string> = {};
  for (const [index, { mac, ip, network, name, nicparams }] of nics.entries()) {
    const { link, mode, vlan } = nicparams;
    for (const [key, value] of Object.entries({ mac, ip, network, name, link, mode, vlan })) {
      keys[`nic${index}_${key}`] = text(value);
    }
  }
  return { ...keys, nic_count: String(nics.length) };
}

function diskKeys(disks: readonly (DiskOnNode | null)[]): Section {
  const keys: Record<string, string> = {};
  for (const [index, disk] of disks.entries()) {
    if (disk === null) continue;
    keys[`disk${index}_ivname`] = text(disk.iv_name);
    keys[`disk${index}_dump`] = disk.uuid;
    keys[`disk${index}_size`] = String(disk.size);
    keys[`disk${index}_name`] = text(disk.name);
  }
  return { ...keys, disk_count: String(disks.filter((disk) => disk !== null).length) };
}
