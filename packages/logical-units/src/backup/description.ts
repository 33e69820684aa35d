/** What an export says of the instance that it holds, so that an import can make it again. */
import {
  diskTemplate,
  filledBeparams,
  filledHvparams,
  filledNicparams,
  filledOsparams,
  globalHvparams,
  type Snapshot,
} from "@ganeti-ts/config";
import type { ExportDescription } from "@ganeti-ts/node-calls";
import type { Json, RealDisk, RealInstance } from "@ganeti-ts/protocol";
import { pythonText } from "@ganeti-ts/protocol";
import { nodeName } from "../instance/state.js";

type Section = Readonly<Record<string, string>>;

/** Values as Ganeti writes them in its file: those of Python. Source: `FinalizeExport`. */
export function exportDescription(
  now: Snapshot,
  instance: RealInstance,
  disks: readonly { readonly disk: RealDisk; readonly dump: string }[],
  seconds: number,
): ExportDescription {
  const { memory, ...beparams } = { memory: undefined, ...filledBeparams(now, instance) };
  const osparams = filledOsparams(now, instance);
  const hvparams = Object.fromEntries(
    Object.entries(filledHvparams(now, instance)).filter(
      ([name]) => !(globalHvparams as readonly string[]).includes(name),
    ),
  );
  return {
    export: {
      version: "0",
      timestamp: String(Math.trunc(seconds)),
      source: nodeName(now, instance.primary_node),
      os: instance.os,
      compression: "none",
    },
    instance: {
      name: instance.name,
      maxmem: String(beparams.maxmem),
      minmem: String(beparams.minmem),
      memory: String(beparams.maxmem),
      vcpus: String(beparams.vcpus),
      disk_template: diskTemplate(now, instance) ?? "diskless",
      hypervisor: instance.hypervisor,
      tags: instance.tags.join(" "),
      ...nicKeys(now, instance),
      ...diskKeys(disks),
    },
    hypervisor: texts(hvparams),
    backend: texts(beparams),
    os: texts(osparams.public),
    os_private: texts(osparams.private),
  };
}

function nicKeys(now: Snapshot, instance: RealInstance): Section {
  const keys: Record<string, string> = {};
  for (const [index, nic] of instance.nics.entries()) {
    const { mode, link, vlan } = filledNicparams(now, instance, nic);
    const values = { mac: nic.mac, ip: nic.ip, network: nic.network, name: nic.name };
    for (const [key, value] of Object.entries({ ...values, mode, link, vlan })) {
      keys[`nic${index}_${key}`] = pythonText(value ?? null);
    }
  }
  return { ...keys, nic_count: String(instance.nics.length) };
}

function diskKeys(disks: readonly { readonly disk: RealDisk; readonly dump: string }[]): Section {
  const keys: Record<string, string> = {};
  for (const [index, { disk, dump }] of disks.entries()) {
    keys[`disk${index}_ivname`] = pythonText(disk.iv_name ?? null);
    keys[`disk${index}_dump`] = dump;
    keys[`disk${index}_size`] = String(disk.size);
    keys[`disk${index}_name`] = pythonText(disk.name ?? null);
  }
  return { ...keys, disk_count: String(disks.length) };
}

const texts = (values: object): Section =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, pythonText(value as Json)]),
  );
