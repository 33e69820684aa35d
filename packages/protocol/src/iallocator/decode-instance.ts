/** Instances: those that exist, and those to be placed. */
import {
  type DiskData,
  diskTemplates,
  type InstanceData,
  type InstanceStatus,
} from "../cluster-data.js";
import type { JsonDocument } from "../json/json-document.js";
import { RecordReader, wrong } from "../json/record-reader.js";
import { renderJson } from "../json/render.js";

/** An existing instance: one entry of `instances`, with the nodes it is on. */
export function decodeInstance(
  document: JsonDocument,
  name: string,
  value: number,
  nodesByName: ReadonlyMap<string, number>,
): InstanceData {
  if (!document.isObject(value)) throw wrong("not an object");
  const record = new RecordReader(document, value, instanceOwner(name));
  return { ...decodeNewInstance(record, name), ...decodePlace(record, name, nodesByName) };
}

/** What introduces errors in the keys of an instance. */
export function instanceOwner(name: string): string {
  return `invalid data for instance '${name}': `;
}

/** An instance without nodes, from the record that describes it. Keys in Ganeti's reading order. */
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
  const disks = recordsIn(record, "disks", record.owner);
  const sizes = disks.map((disk) => disk.integer("size"));
  return disks.map((disk, index) => ({
    sizeMib: sizes[index] as number,
    spindles: disk.optionalInteger("spindles"),
  }));
}

const nicModes: readonly string[] = ["bridged", "routed", "openvswitch"];
const noNetworks: readonly (string | null)[] = [null];

/** The network of each NIC; the other keys are only checked. */
function decodeNetworks(record: RecordReader, name: string): readonly (string | null)[] {
  const networks = recordsIn(record, "nics", "").map((nic) => {
    nic.skipString("mac");
    nic.skipString("ip");
    const mode = nic.optionalString("mode");
    if (mode !== undefined && !nicModes.includes(mode)) {
      throw wrong(`invalid NIC mode in instance ${name}`);
    }
    nic.skipString("link");
    nic.skipString("bridge");
    return nic.optionalString("network") ?? null;
  });
  // Most instances have one NIC without a network: they share the list.
  return networks.length === 1 && networks[0] === null ? noNetworks : networks;
}

function recordsIn(record: RecordReader, key: string, owner: string): RecordReader[] {
  const { document } = record;
  const value = record.value(key);
  if (!document.isArray(value)) {
    throw wrong(`Invalid input, expected array but got ${renderJson(document, value)}`);
  }
  const items = document.items(value);
  if (!items.every((item) => document.isObject(item))) throw wrong("not an object");
  return items.map((item) => new RecordReader(document, item, owner));
}

/** Whatever is not understood counts as up. */
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

/** Primary and secondary: the first two entries of `nodes`; the others are not looked at. */
function decodePlace(
  record: RecordReader,
  name: string,
  nodesByName: ReadonlyMap<string, number>,
): { primary: number; secondary: number } {
  const { document } = record;
  const nodes = record.anonymous().items("nodes");
  const indexOf = (item: number): number => {
    if (!document.isString(item)) throw wrong("Wrong JSON type");
    const node = document.string(item, true);
    const index = nodesByName.get(node);
    if (index === undefined) throw wrong(`Unknown node '${node}' for instance ${name}`);
    return index;
  };
  const [first, second] = nodes;
  if (first === undefined) throw wrong(`empty node list for instance ${name}`);
  const primary = indexOf(first);
  return { primary, secondary: second === undefined ? -1 : indexOf(second) };
}
