/**
 * Cluster and request of an allocator message whose values have been located: records are read in Ganeti's order, so
 * that of several faults the one that Ganeti reports is reported.
 */
import {
  type ClusterData,
  type GroupData,
  type InstanceColumns,
  type InstanceData,
  type NodeData,
  noteInstanceColumns,
} from "../cluster-data.js";
import type { JsonValues } from "../json/json-values.js";
import { RecordReader } from "../json/record-reader.js";
import { jsonError } from "../json/syntax-error.js";
import { decodeGroup } from "./decode-group.js";
import { decodeInstance } from "./decode-instance.js";
import { decodeNode } from "./decode-node.js";
import { decodeRequest } from "./decode-request.js";
import { hypervisors } from "./hypervisor.js";
import type { AllocatorMessage } from "./request.js";

/** Readers for nodes and instances. */
export interface Readers {
  readonly nodes: (groupsByUuid: ReadonlyMap<string, number>) => NodeData[];
  /** Validates all instances; creates them when the returned function is called. */
  readonly instances: (nodesByName: ReadonlyMap<string, number>) => () => InstanceData[];
  readonly columns: InstanceColumns | undefined;
}

/** @param readers those of the values themselves if not given */
export function decodeValues(document: JsonValues, readers?: Readers): AllocatorMessage {
  if (!document.isObject(0)) throw jsonError("Unable to read JSObject");
  const message = new RecordReader(document, 0, "invalid iallocator message: ");
  const {
    nodes: readNodes,
    instances: readInstances,
    columns,
  } = readers ??
  ({
    nodes: (groupsByUuid) =>
      readAll(message, "nodes", (name, value) => decodeNode(document, name, value, groupsByUuid)),
    instances: (nodesByName) => {
      const instances = readAll(message, "instances", (name, value) =>
        decodeInstance(document, name, value, nodesByName),
      );
      return () => instances;
    },
    columns: undefined,
  } satisfies Readers);

  const request = new RecordReader(document, message.objectValue("request"), "");
  const groups = readAll(message, "nodegroups", (uuid, value): GroupData => {
    return decodeGroup(document, uuid, value);
  });
  const nodes = readNodes(new Map(groups.map((group, index) => [group.uuid, index])));
  const instances = readInstances(new Map(nodes.map((node, index) => [node.name, index])));
  const tags = message.strings("cluster_tags");
  const [hypervisor] = message.choiceList("enabled_hypervisors", "Hypervisor", hypervisors);

  const cluster: ClusterData = {
    groups,
    nodes,
    get instances() {
      return instances();
    },
    tags,
    policy: undefined,
    hypervisor,
  };
  if (columns !== undefined) noteInstanceColumns(cluster, columns);
  return { cluster, request: decodeRequest(request, cluster) };
}

/** Calls `read` for each key and value of an object, in order. */
function readAll<T>(
  message: RecordReader,
  key: string,
  read: (name: string, value: number) => T,
): T[] {
  const { document } = message;
  const object = message.objectValue(key);
  const members: T[] = [];
  const end = document.end(object);
  for (let name = document.first(object); name < end; name = document.after(name + 1)) {
    members.push(read(document.string(name), name + 1));
  }
  return members;
}
