/** Decoders for existing instances, and for instances to be placed. */
import {
  type DiskData,
  diskTemplates,
  type InstanceData,
  type InstanceStatus,
} from "../cluster-data.js";
import type { JsonValues } from "../json/json-values.js";
import { RecordReader, wrong } from "../json/record-reader.js";
import { renderJson } from "../json/render.js";
import { nicModes, noNetworks } from "./nic.js";

/** Decodes an entry of `instances`, with the nodes it is on. */
export function decodeInstance(
  document: JsonValues,
  name: string,
  value: number,
  nodesByName: ReadonlyMap<string, number>,
): InstanceData {
  if (!document.isObject(value)) throw wrong("not an object");
  const record = new RecordReader(document, value, instanceOwner(name));
  const instance = decodeNewInstance(record, name);
  const [first, second] = record.anonymous().items("nodes");
  if (first === undefined) throw wrong(`empty node list for instance ${name}`);
  const primary = nodeNamed(document, first, name, nodesByName);
  // Entries after the second are ignored.
  const secondary = second === undefined ? -1 : nodeNamed(document, second, name, nodesByName);
  return { ...instance, primary, secondary };
}

function nodeNamed(
  document: JsonValues,
  value: number,
  instanceName: string,
  nodesByName: ReadonlyMap<string, number>,
): number {
  if (!document.isString(value)) throw wrong("Wrong JSON type");
  const name = document.string(value, true);
  const index = nodesByName.get(name);
  if (index === undefined) throw wrong(`Unknown node '${name}' for instance ${instanceName}`);
  return index;
}

/** Prefix of errors in the keys of an instance. */
export function instanceOwner(name: string): string {
  return `invalid data for instance '${name}': `;
}

/** Decodes an instance without nodes. Keys are read in Ganeti's order. */
export function decodeNewInstance(record: RecordReader, name: string): InstanceData {
  const diskMib = record.integer("disk_space_total");
  const disks = decodeDisks(record);
  const memoryMib = record.integer("memory");
  const vcpus = record.integer("vcpus");
  const tags = record.strings("tags");
  const diskTemplate = record.choice("disk_template", "DiskTemplate", diskTemplates);
  const spindleUse = record.integer("spindle_use");
  const networks = decodeNetworks(record, name);
  return {
    name,
    memoryMib,
    diskMib,
    disks,
    vcpus,
    spindleUse,
    diskTemplate,
    status: decodeStatus(record),
    autoBalance: true,
    forthcoming: record.isTrue("forthcoming"),
    tags,
    networks,
    primary: -1,
    secondary: -1,
  };
}

/** All sizes are read before the spindles. */
function decodeDisks(record: RecordReader): readonly DiskData[] {
  const { document, owner } = record;
  const objects = objectsIn(record, "disks");
  const sizes: number[] = [];
  for (const object of objects) {
    sizes.push(new RecordReader(document, object, owner).integer("size"));
  }
  const disks: DiskData[] = [];
  for (const [index, object] of objects.entries()) {
    const spindles = new RecordReader(document, object, owner).optionalInteger("spindles");
    disks.push({ sizeMib: sizes[index] as number, spindles });
  }
  return disks;
}

/** The network of each NIC; the other keys are only validated. */
function decodeNetworks(record: RecordReader, name: string): readonly (string | null)[] {
  const networks: (string | null)[] = [];
  for (const object of objectsIn(record, "nics")) {
    const nic = new RecordReader(record.document, object, "");
    nic.skipString("mac");
    nic.skipString("ip");
    const mode = nic.optionalString("mode");
    if (mode !== undefined && !nicModes.includes(mode)) {
      throw wrong(`invalid NIC mode in instance ${name}`);
    }
    nic.skipString("link");
    nic.skipString("bridge");
    networks.push(nic.optionalString("network") ?? null);
  }
  return networks.length === 1 && networks[0] === null ? noNetworks : networks;
}

function objectsIn(record: RecordReader, key: string): number[] {
  const { document } = record;
  const value = record.value(key);
  if (!document.isArray(value)) {
    throw wrong(`Invalid input, expected array but got ${renderJson(document, value)}`);
  }
  const items = document.items(value);
  if (!items.every((item) => document.isObject(item))) throw wrong("not an object");
  return items;
}

/** Unknown values count as up. */
function decodeStatus(record: RecordReader): InstanceStatus {
  switch (record.stringIfAny("admin_state")) {
    case "down":
      return "ADMIN_down";
    case "offline":
      return "ADMIN_offline";
    default:
      return "running";
  }
}
