/**
 * Nodes and instances of the usual kind, straight from parsed objects: nearly all of a message, read
 * by plain property accesses. Undefined for whatever is not quite as Ganeti writes it, right or
 * wrong; the decoder proper then reads the message, and finds the words for what it refuses.
 */
import {
  type DiskData,
  diskTemplates,
  type InstanceData,
  type InstanceStatus,
  type NodeData,
} from "../cluster-data.js";
import { nicModes, noNetworks } from "./nic.js";

type Loose = Record<string, unknown>;

/** Counts the keys of all objects it has read, to see that none was repeated in the text. */
export interface KeyCount {
  keys: number;
}

const countIn = (seen: KeyCount, object: Loose): void => {
  seen.keys += Object.keys(object).length;
};

const noTags: readonly string[] = [];

export function quickNode(
  name: string,
  value: unknown,
  groupsByUuid: ReadonlyMap<string, number>,
  seen: KeyCount,
): NodeData | undefined {
  if (!isObject(value) || !isObject(value.ndparams)) return undefined;
  countIn(seen, value);
  countIn(seen, value.ndparams);
  const { offline, drained, group } = value;
  const { exclusive_storage: exclusive, spindle_count: count } = value.ndparams;
  const capable = value.vm_capable ?? true;
  const tags = value.tags ?? noTags;
  const groupIndex = groupsByUuid.get(group as string);
  if (groupIndex === undefined || !isStrings(tags)) return undefined;
  if (!isBoolean(offline) || !isBoolean(drained)) return undefined;
  if (!isBoolean(capable) || !isBoolean(exclusive)) return undefined;
  const live = capable && !offline;
  const spindleTotal = exclusive ? (live ? value.total_spindles : 0) : count;
  const spindleFree = live ? value.free_spindles : 0;
  const memoryTotalMib = live ? value.total_memory : 0;
  const memoryNodeMib = live ? value.reserved_memory : 0;
  const memoryFreeMib = live ? value.free_memory : 0;
  const diskTotalMib = live ? value.total_disk : 0;
  const diskFreeMib = live ? value.free_disk : 0;
  const cpuTotal = live ? value.total_cpus : 0;
  const cpuNode = live ? value.reserved_cpus : 0;
  if (!isInteger(spindleTotal) || !isInteger(spindleFree) || !isInteger(memoryNodeMib))
    return undefined;
  if (!isInteger(memoryFreeMib) || !isInteger(diskFreeMib) || !isInteger(cpuNode)) return undefined;
  if (!isNumber(memoryTotalMib) || !isNumber(diskTotalMib) || !isNumber(cpuTotal)) return undefined;
  return {
    name,
    groupIndex,
    offline: !live || drained,
    master: false,
    spindleTotal,
    spindleFree,
    memoryTotalMib,
    memoryNodeMib,
    memoryFreeMib,
    diskTotalMib,
    diskFreeMib,
    cpuTotal,
    cpuNode,
    exclusiveStorage: exclusive,
    tags,
    cpuSpeed: 1,
  };
}

export function quickInstance(
  name: string,
  value: unknown,
  nodesByName: ReadonlyMap<string, number>,
  seen: KeyCount,
): InstanceData | undefined {
  if (!isObject(value) || !Array.isArray(value.nodes)) return undefined;
  countIn(seen, value);
  const { memory, vcpus, spindle_use: spindleUse, disk_space_total: diskMib, tags } = value;
  if (!isInteger(memory) || !isInteger(vcpus)) return undefined;
  if (!isInteger(spindleUse) || !isInteger(diskMib) || !isStrings(tags)) return undefined;
  const diskTemplate = diskTemplates.find((template) => template === value.disk_template);
  const disks = quickDisks(value.disks, seen);
  const networks = quickNetworks(value.nics, seen);
  const [first, second] = value.nodes;
  const primary = nodesByName.get(first);
  const secondary = second === undefined ? -1 : nodesByName.get(second);
  if (diskTemplate === undefined || disks === undefined || networks === undefined) return undefined;
  if (primary === undefined || secondary === undefined) return undefined;
  return {
    name,
    memoryMib: memory,
    diskMib,
    disks,
    vcpus,
    spindleUse,
    diskTemplate,
    status: statusOf(value.admin_state),
    autoBalance: true,
    forthcoming: value.forthcoming === true,
    tags,
    networks,
    primary,
    secondary,
  };
}

function quickDisks(disks: unknown, seen: KeyCount): readonly DiskData[] | undefined {
  if (!Array.isArray(disks)) return undefined;
  const read: DiskData[] = [];
  for (const disk of disks) {
    if (!isObject(disk)) return undefined;
    countIn(seen, disk);
    const { size } = disk;
    const spindles = disk.spindles ?? undefined;
    if (!isInteger(size) || (spindles !== undefined && !isInteger(spindles))) return undefined;
    read.push({ sizeMib: size, spindles });
  }
  return read;
}

function quickNetworks(nics: unknown, seen: KeyCount): readonly (string | null)[] | undefined {
  if (!Array.isArray(nics)) return undefined;
  const networks: (string | null)[] = [];
  for (const nic of nics) {
    if (!isObject(nic)) return undefined;
    countIn(seen, nic);
    const mode = nic.mode ?? undefined;
    if (mode !== undefined && !nicModes.includes(mode as string)) return undefined;
    if (!isText(nic.mac) || !isText(nic.ip) || !isText(nic.link)) return undefined;
    if (!isText(nic.bridge) || !isText(nic.network)) return undefined;
    networks.push(nic.network ?? null);
  }
  return networks.length === 1 && networks[0] === null ? noNetworks : networks;
}

function statusOf(state: unknown): InstanceStatus {
  if (state === "down") return "ADMIN_down";
  return state === "offline" ? "ADMIN_offline" : "running";
}

export const isObject = (value: unknown): value is Loose =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";

/** Rounding, wrapping and the sign of zero are the other decoder's. */
const isInteger = (value: unknown): value is number =>
  Number.isSafeInteger(value) && !Object.is(value, -0);

const isNumber = (value: unknown): value is number =>
  typeof value === "number" && !Object.is(value, -0);

const isText = (value: unknown): value is string | null | undefined =>
  typeof value === "string" || value === null || value === undefined;

function isStrings(value: unknown): value is readonly string[] {
  if (!Array.isArray(value)) return false;
  for (const text of value) if (typeof text !== "string") return false;
  return true;
}
