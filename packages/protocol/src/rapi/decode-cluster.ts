/**
 * Decoder for a cluster in four RAPI resources: `/2/groups?bulk=1`, `/2/nodes?bulk=1`, `/2/instances?bulk=1`
 * and `/2/info`, as Ganeti's htools read them.
 *
 * Lists keep their order, which decides ties in placement. Networks are not read, and the resources have no
 * CPU speeds. Source: Ganeti, HTools/Backend/Rapi.hs.
 */
import type { ClusterData } from "../cluster-data.js";
import { decodePolicy } from "../iallocator/decode-group.js";
import { hypervisors } from "../iallocator/hypervisor.js";
import { JsonDocument } from "../json/json-document.js";
import { RecordReader, wrong } from "../json/record-reader.js";
import { reading } from "../json/syntax-error.js";
import { decodeRapiGroup } from "./decode-group.js";
import { decodeRapiInstance } from "./decode-instance.js";
import { masterMarked, positions } from "./decode-names.js";
import { decodeRapiNode } from "./decode-node.js";

/** Names of the resources, in the order in which they are requested and read. */
export const rapiClusterResources = ["groups", "nodes", "instances", "info"] as const;

/**
 * The resources' bodies. An error stands for a resource that could not be fetched; it is thrown when its turn
 * comes, after the faults of the resources before it.
 */
export type RapiClusterBodies = Readonly<
  Record<(typeof rapiClusterResources)[number], Uint8Array | Error>
>;

/** @throws MessageError with the text that Ganeti's htools print, or an error among `bodies` */
export function decodeRapiCluster(bodies: RapiClusterBodies): ClusterData {
  const groups = records("group data", bodies.groups).map(decodeRapiGroup);
  const groupsByUuid = positions(groups, ({ uuid }) => uuid);
  const nodes = records("node data", bodies.nodes).map((record) =>
    decodeRapiNode(record, groupsByUuid),
  );
  const nodesByName = positions(nodes, ({ name }) => name);
  const instances = records("instance data", bodies.instances)
    .filter(isPlaced)
    .map((record) => decodeRapiInstance(record, nodesByName));
  const info = clusterInfo(bodies.info);
  return {
    groups,
    nodes: masterMarked(nodes, nodesByName, info.master),
    instances,
    tags: info.tags,
    policy: info.policy,
    hypervisor: info.hypervisor,
  };
}

type RecordOf = (owner: string) => RecordReader;

/** A reservation on no node takes nothing of any; Ganeti's programs never meet one. */
function isPlaced(record: RecordOf): boolean {
  const instance = record("");
  return !instance.isTrue("forthcoming") || instance.optionalValue("pnode") !== undefined;
}

/** For each object of a list a function that creates its reader, given the object's name. */
function records(what: string, body: Uint8Array | Error): RecordOf[] {
  const subject = `Parsing ${what}`;
  const document = open(subject, body);
  if (!document.isArray(0)) throw wrong(`${subject}: Unable to read list`);
  const items = document.items(0);
  if (!items.every((item) => document.isObject(item))) {
    throw wrong(`${subject}: Unable to read JSObject`);
  }
  return items.map((item) => (owner) => new RecordReader(document, item, owner));
}

function clusterInfo(body: Uint8Array | Error) {
  const subject = "Parsing cluster info";
  const document = open(subject, body);
  if (!document.isObject(0)) throw wrong(`${subject}: Unable to read JSObject`);
  return decodeClusterInfo(new RecordReader(document, 0, "Parsing cluster data: "));
}

/** Reads the cluster's own keys, in Ganeti's order. */
export function decodeClusterInfo(info: RecordReader) {
  return {
    master: info.string("master"),
    tags: info.strings("tags"),
    policy: decodePolicy(info, "ipolicy"),
    hypervisor: info.choice("default_hypervisor", "Hypervisor", hypervisors),
  };
}

function open(subject: string, body: Uint8Array | Error): JsonDocument {
  if (body instanceof Error) throw body;
  return reading(subject, () => new JsonDocument(plain(body)));
}

/** Bytes without the subclass of Node's `Buffer`: a single array class keeps the scan fast. */
function plain(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
