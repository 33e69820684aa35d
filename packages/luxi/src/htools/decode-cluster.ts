/**
 * A cluster out of four answers of a master's local socket (LUXI), as Ganeti's htools ask and read
 * them. Networks are not read. Source: Ganeti, HTools/Backend/Luxi.hs.
 */
import {
  allocationPolicies,
  type ClusterData,
  decodeClusterInfo,
  disksOf,
  diskTemplates,
  type GroupData,
  groupOfNode,
  type InstanceData,
  instanceStatuses,
  masterMarked,
  type NodeData,
  nodeOfInstance,
  policyRecord,
  positions,
  RecordReader,
  wrongMessage,
} from "@ganeti-ts/protocol";
import type { LuxiCall, LuxiResult } from "../message.js";
import { type QueryRow, queryRows } from "./query-row.js";

const nodeFields = [
  ...[
    "name",
    "mtotal",
    "mnode",
    "mfree",
    "dtotal",
    "dfree",
    "ctotal",
    "cnos",
    "offline",
    "drained",
  ],
  ...["vm_capable", "ndp/spindle_count", "group.uuid", "tags", "ndp/exclusive_storage"],
  ...["sptotal", "spfree", "ndp/cpu_speed"],
];
/** Fields of instances that htools query. */
export const luxiInstanceFields: readonly string[] = [
  ...["name", "disk_usage", "be/memory", "be/vcpus", "status", "pnode", "snodes", "tags"],
  ...["be/auto_balance", "disk_template", "be/spindle_use", "disk.sizes", "disk.spindles"],
  "forthcoming",
];
const groupFields = ["uuid", "name", "alloc_policy", "ipolicy", "tags"];

const query = (what: string, fields: readonly string[]): LuxiCall => ({
  method: "Query",
  args: [what, fields, null],
});

/** Queries for a cluster, in the order in which they are sent. */
export const luxiClusterCalls = {
  nodes: query("node", nodeFields),
  instances: query("instance", luxiInstanceFields),
  info: { method: "QueryClusterInfo", args: [] },
  groups: query("group", groupFields),
} as const satisfies Readonly<Record<string, LuxiCall>>;

/** An error stands for an answer that could not be had; it is thrown when the reading comes to it. */
type LuxiClusterResults = Readonly<Record<keyof typeof luxiClusterCalls, LuxiResult | Error>>;

/** @throws MessageError with the text that Ganeti's htools print, or an error among `results` */
export function decodeLuxiCluster(results: LuxiClusterResults): ClusterData {
  const groups = queryRows(had(results.groups), "Group", groupFields.length).map(decodeGroup);
  const groupsByUuid = positions(groups, ({ uuid }) => uuid);
  const nodes = queryRows(had(results.nodes), "Node", nodeFields.length).map((row) =>
    decodeNode(row, groupsByUuid),
  );
  const nodesByName = positions(nodes, ({ name }) => name);
  const instances = queryRows(had(results.instances), "Instance", luxiInstanceFields.length).map(
    (row) => decodeInstance(row, nodesByName),
  );
  const { document, value } = had(results.info);
  if (!document.isObject(value)) throw wrongMessage("Cannot parse cluster info, not a JSON record");
  const info = decodeClusterInfo(new RecordReader(document, value, "Parsing cluster info: "));
  return {
    groups,
    nodes: masterMarked(nodes, nodesByName, info.master),
    instances,
    tags: info.tags,
    policy: info.policy,
    hypervisor: info.hypervisor,
  };
}

function had(result: LuxiResult | Error): LuxiResult {
  if (result instanceof Error) throw result;
  return result;
}

function decodeGroup(row: QueryRow): GroupData {
  const name = row.named("Group", 1);
  return {
    name,
    uuid: row.string(0, "uuid"),
    allocationPolicy: row.choice(2, "alloc_policy", "AllocPolicy", allocationPolicies),
    policy: row.object(3, "ipolicy", (object, way) => policyRecord(row.document, object, way)),
    tags: row.strings(4, "tags"),
    networks: [],
  };
}

/** Figures of a node that is not live (offline or not vm-capable) are not looked at. */
function decodeNode(row: QueryRow, groupsByUuid: ReadonlyMap<string, number>): NodeData {
  const name = row.named("Node", 0);
  const offline = row.boolean(8, "offline");
  const drained = row.boolean(9, "drained");
  const live = row.boolean(10, "vm_capable") && !offline;
  const groupIndex = groupOfNode(row.string(12, "group.uuid"), name, groupsByUuid);
  const tags = row.strings(13, "tags");
  const exclusiveStorage = row.boolean(14, "exclusive_storage");
  const cpuSpeed = row.double(17, "cpu_speed");
  const ifLive = (read: () => number) => (live ? read() : 0);
  // Clusters without local storage have no figures of it.
  const ifAny = (read: () => number) => ifLive(() => row.orZero(read));
  return {
    name,
    groupIndex,
    offline: !live || drained,
    master: false,
    spindleTotal: exclusiveStorage
      ? ifLive(() => row.integer(15, "sptotal"))
      : row.integer(11, "spindles"),
    spindleFree: ifAny(() => row.integer(16, "spfree")),
    memoryTotalMib: ifLive(() => row.double(1, "mtotal")),
    memoryNodeMib: ifLive(() => row.integer(2, "mnode")),
    memoryFreeMib: ifLive(() => row.integer(3, "mfree")),
    diskTotalMib: ifAny(() => row.double(4, "dtotal")),
    diskFreeMib: ifAny(() => row.integer(5, "dfree")),
    cpuTotal: ifLive(() => row.double(6, "ctotal")),
    cpuNode: ifLive(() => row.integer(7, "cnos")),
    tags,
    exclusiveStorage,
    cpuSpeed,
  };
}

function decodeInstance(row: QueryRow, nodesByName: ReadonlyMap<string, number>): InstanceData {
  const name = row.named("Instance", 0);
  const nodeNamed = (node: string) => nodeOfInstance(node, name, nodesByName);
  const diskMib = row.integer(1, "disk_usage");
  const memoryMib = row.integer(2, "be/memory");
  const vcpus = row.integer(3, "be/vcpus");
  const primary = nodeNamed(row.string(5, "pnode"));
  const [secondary] = row.strings(6, "snodes");
  const placed = { primary, secondary: secondary === undefined ? -1 : nodeNamed(secondary) };
  const status = row.choice(4, "status", "InstanceStatus", instanceStatuses);
  const tags = row.strings(7, "tags");
  const autoBalance = row.boolean(8, "auto_balance");
  const diskTemplate = row.choice(9, "disk_template", "DiskTemplate", diskTemplates);
  const spindleUse = row.integer(10, "be/spindle_use");
  const sizes = row.integers(11, "disk.sizes");
  const spindles = row.optionalIntegers(12, "disk.spindles");
  const forthcoming = row.boolean(13, "forthcoming");
  return {
    name,
    memoryMib,
    diskMib,
    disks: disksOf(sizes, spindles),
    vcpus,
    spindleUse,
    diskTemplate,
    status,
    autoBalance,
    forthcoming,
    tags,
    networks: [],
    ...placed,
  };
}
