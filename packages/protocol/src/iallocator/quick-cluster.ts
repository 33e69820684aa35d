/**
 * Fast decoder for nodes and instances of the usual form, nearly all of a message, from records that were
 * read without a JavaScript object for each part. Anything that is not exactly as Ganeti writes it, right or
 * wrong, is `unusual`: the complete decoder then reads the message, and words the refusal.
 */
import {
  type DiskData,
  type DiskTemplate,
  diskTemplates,
  type InstanceData,
  type InstanceStatus,
  type NodeData,
} from "../cluster-data.js";
import {
  columnsOf,
  lowestValue,
  nextRow,
  type Records,
  rowKey,
  type Shape,
} from "../json/record-scan.js";
import { nicModes, noNetworks } from "./nic.js";

/** Thrown when the fast decoder gives up. */
export const unusual = new Error("not a message of the usual kind");

const parameters = { spindle_count: 0, exclusive_storage: true } as const satisfies Shape;

const node = {
  offline: true,
  drained: true,
  group: "",
  ndparams: parameters,
  "vm_capable?": true,
  "tags?": [""],
  // Required for live nodes.
  "total_spindles?": 0,
  "free_spindles?": 0,
  "total_memory?": 0,
  "reserved_memory?": 0,
  "free_memory?": 0,
  "total_disk?": 0,
  "free_disk?": 0,
  "total_cpus?": 0,
  "reserved_cpus?": 0,
} as const satisfies Shape;

const disk = { size: 0, "spindles?": 0 } as const satisfies Shape;

const nic = {
  "network?": "",
  "mode?": "",
  "mac?": "",
  "ip?": "",
  "link?": "",
  "bridge?": "",
} as const satisfies Shape;

const instance = {
  memory: 0,
  vcpus: 0,
  spindle_use: 0,
  disk_space_total: 0,
  disk_template: "",
  tags: [""],
  nodes: [""],
  disks: [disk],
  nics: [nic],
  "admin_state?": "",
  "forthcoming?": true,
} as const satisfies Shape;

/** The parts of a message that are read this way. */
export const clusterShape = { nodes: { "": node }, instances: { "": instance } } as const;

const ofCluster = columnsOf(clusterShape);
const ofNode = columnsOf(node);
const ofParameters = columnsOf(parameters);
export const ofInstance = columnsOf(instance);
const ofDisk = columnsOf(disk);
export const ofNic = columnsOf(nic);

interface Extent {
  readonly begin: number;
  readonly end: number;
}

/** Positions of nodes and instances in the text, in the order of the text. */
export function tableExtents({ words, root }: Records): readonly [Extent, Extent] {
  const extent = (column: number): Extent => {
    const table = words[root + column] as number;
    return { begin: words[table] as number, end: words[table + 1] as number };
  };
  const [nodes, instances] = [extent(ofCluster.nodes), extent(ofCluster.instances)];
  return nodes.begin < instances.begin ? [nodes, instances] : [instances, nodes];
}

/** The first rows of the tables; 0 for an empty table. */
export const firstNode = (records: Records): number => firstOf(records, ofCluster.nodes);
export const firstInstance = (records: Records): number => firstOf(records, ofCluster.instances);

function firstOf({ words, root }: Records, column: number): number {
  return words[(words[root + column] as number) + 2] as number;
}

const noTexts: readonly string[] = [];

/** Cost: O(nodes). @throws unusual */
export function quickNodes(
  records: Records,
  groupsByUuid: ReadonlyMap<string, number>,
): NodeData[] {
  const { words } = records;
  const nodes: NodeData[] = [];
  for (let row = firstNode(records); row > 0; row = words[row + nextRow] as number) {
    nodes.push(quickNode(records, row, groupsByUuid));
  }
  return nodes;
}

function quickNode(
  records: Records,
  row: number,
  groupsByUuid: ReadonlyMap<string, number>,
): NodeData {
  const { words } = records;
  const ndparams = words[row + ofNode.ndparams] as number;
  const tags = words[row + ofNode.tags] as number;
  const exclusiveStorage = words[ndparams + ofParameters.exclusive_storage] === 1;
  const groupIndex = groupsByUuid.get(records.string(words[row + ofNode.group] as number));
  // True unless the message says no.
  const live = words[row + ofNode.vm_capable] !== 0 && words[row + ofNode.offline] === 0;
  const ofLive = (column: number): number => (live ? given(words[row + column]) : 0);
  if (groupIndex === undefined) throw unusual;
  return {
    name: records.string(words[row + rowKey] as number),
    groupIndex,
    offline: !live || words[row + ofNode.drained] === 1,
    master: false,
    spindleTotal: exclusiveStorage
      ? ofLive(ofNode.total_spindles)
      : (words[ndparams + ofParameters.spindle_count] as number),
    spindleFree: ofLive(ofNode.free_spindles),
    memoryTotalMib: ofLive(ofNode.total_memory),
    memoryNodeMib: ofLive(ofNode.reserved_memory),
    memoryFreeMib: ofLive(ofNode.free_memory),
    diskTotalMib: ofLive(ofNode.total_disk),
    diskFreeMib: ofLive(ofNode.free_disk),
    cpuTotal: ofLive(ofNode.total_cpus),
    cpuNode: ofLive(ofNode.reserved_cpus),
    exclusiveStorage,
    tags: tags < 0 ? noTexts : texts(records, tags),
    cpuSpeed: 1,
  };
}

function given(value: number | undefined): number {
  if (value === undefined || value < lowestValue) throw unusual;
  return value;
}

/** Cost: O(instances). @throws unusual */
export function quickInstances(
  records: Records,
  nodesByName: ReadonlyMap<string, number>,
): InstanceData[] {
  const { words } = records;
  const instances: InstanceData[] = [];
  for (let row = firstInstance(records); row > 0; row = words[row + nextRow] as number) {
    instances.push(quickInstance(records, row, nodesByName));
  }
  return instances;
}

function quickInstance(
  records: Records,
  row: number,
  nodesByName: ReadonlyMap<string, number>,
): InstanceData {
  const { words } = records;
  const nodes = words[row + ofInstance.nodes] as number;
  const nodeCount = words[nodes] as number;
  if (nodeCount === 0) throw unusual;
  // Nodes after the second are ignored.
  const primary = nodesByName.get(records.string(words[nodes + 1] as number));
  const secondary =
    nodeCount === 1 ? -1 : nodesByName.get(records.string(words[nodes + 2] as number));
  const template = records.string(words[row + ofInstance.disk_template] as number);
  const diskTemplate = diskTemplates[diskTemplates.indexOf(template as DiskTemplate)];
  if (primary === undefined || secondary === undefined || diskTemplate === undefined) throw unusual;
  return {
    name: records.string(words[row + rowKey] as number),
    memoryMib: words[row + ofInstance.memory] as number,
    diskMib: words[row + ofInstance.disk_space_total] as number,
    disks: quickDisks(words, words[row + ofInstance.disks] as number),
    vcpus: words[row + ofInstance.vcpus] as number,
    spindleUse: words[row + ofInstance.spindle_use] as number,
    diskTemplate,
    status: quickStatus(records, words[row + ofInstance.admin_state] as number),
    autoBalance: true,
    forthcoming: words[row + ofInstance.forthcoming] === 1,
    tags: texts(records, words[row + ofInstance.tags] as number),
    networks: quickNetworks(records, words[row + ofInstance.nics] as number),
    primary,
    secondary,
  };
}

function quickDisks(words: Int32Array, first: number): readonly DiskData[] {
  if (first === 0) return [];
  // Most instances have one disk, and a literal list takes much less memory than one that has grown.
  const disks = [quickDisk(words, first)];
  for (let row = words[first + nextRow] as number; row > 0; row = words[row + nextRow] as number) {
    disks.push(quickDisk(words, row));
  }
  return disks;
}

function quickDisk(words: Int32Array, row: number): DiskData {
  const spindles = words[row + ofDisk.spindles] as number;
  const sizeMib = words[row + ofDisk.size] as number;
  return { sizeMib, spindles: spindles < lowestValue ? undefined : spindles };
}

function quickNetworks(records: Records, first: number): readonly (string | null)[] {
  const { words } = records;
  const networks: (string | null)[] = [];
  for (let row = first; row > 0; row = words[row + nextRow] as number) {
    const mode = words[row + ofNic.mode] as number;
    const network = words[row + ofNic.network] as number;
    if (mode >= 0 && !nicModes.includes(records.string(mode))) throw unusual;
    if (network < 0 && row === first && words[row + nextRow] === 0) return noNetworks;
    networks.push(network < 0 ? null : records.string(network));
  }
  return networks;
}

function quickStatus(records: Records, state: number): InstanceStatus {
  return state < 0 ? "running" : statusOf(records.string(state));
}

/** Statuses that are neither down nor offline count as up. */
export function statusOf(text: string): InstanceStatus {
  if (text === "down") return "ADMIN_down";
  return text === "offline" ? "ADMIN_offline" : "running";
}

function texts(records: Records, list: number): readonly string[] {
  const { words } = records;
  const count = words[list] as number;
  if (count === 0) return noTexts;
  const found: string[] = [];
  for (let at = list + 1; at <= list + count; at++) found.push(records.string(words[at] as number));
  return found;
}
