/**
 * The allocator message that Ganeti hands to `hail`: bytes in, a cluster and a request out.
 *
 * Two passes: the text is checked and its values are located (`json/scan.ts`), then records are
 * read out of it in Ganeti's order, so that of several faults Ganeti's one is reported.
 */
import type { GroupData, InstanceData, NodeData } from "../cluster-data.js";
import { JsonDocument } from "../json/json-document.js";
import { RecordReader } from "../json/record-reader.js";
import { jsonError } from "../json/syntax-error.js";
import { decodeGroup } from "./decode-group.js";
import { decodeInstance } from "./decode-instance.js";
import { decodeNode } from "./decode-node.js";
import { decodeRequest } from "./decode-request.js";
import { hypervisors } from "./hypervisor.js";
import type { AllocatorMessage } from "./request.js";

// Part of Node and of browsers, not of the language's own library.
declare const TextEncoder: { new (): { encode(text: string): Uint8Array } };

/**
 * Reads an allocator message (protocol version 2).
 *
 * Groups, nodes and instances keep the order of their keys, integer-like or not; a repeated key
 * gives two elements, and names mean the later one. Inside a record the first of repeated keys
 * counts. `version`, `cluster_name` and the cluster's own `ipolicy` are not looked at.
 *
 * @throws MessageError with the text that Ganeti's `hail` prints after `Error: `
 */
export function decodeMessage(input: Uint8Array | string): AllocatorMessage {
  const document = new JsonDocument(plainBytes(input));
  if (!document.isObject(0)) throw jsonError("Unable to read JSObject");
  const message = new RecordReader(document, 0, "invalid iallocator message: ");

  const request = new RecordReader(document, message.objectValue("request"), "");
  const groups = readAll(message, "nodegroups", (uuid, value): GroupData => {
    return decodeGroup(document, uuid, value);
  });
  const groupsByUuid = new Map(groups.map((group, index) => [group.uuid, index]));
  const nodes = readAll(message, "nodes", (name, value): NodeData => {
    return decodeNode(document, name, value, groupsByUuid);
  });
  const nodesByName = new Map(nodes.map((node, index) => [node.name, index]));
  const instances = readAll(message, "instances", (name, value): InstanceData => {
    return decodeInstance(document, name, value, nodesByName);
  });
  const tags = message.strings("cluster_tags");
  const [hypervisor] = message.choiceList("enabled_hypervisors", "Hypervisor", hypervisors);

  const cluster = { groups, nodes, instances, tags, policy: undefined, hypervisor };
  return { cluster, request: decodeRequest(request, cluster) };
}

/** What `read` makes of each key and value of an object, in their order. */
function readAll<T>(
  message: RecordReader,
  key: string,
  read: (name: string, value: number) => T,
): T[] {
  const { document } = message;
  const object = message.objectValue(key);
  const all: T[] = [];
  const end = document.end(object);
  for (let name = document.first(object); name < end; name = document.after(name + 1)) {
    all.push(read(document.string(name), name + 1));
  }
  return all;
}

/** Bytes without the class that Node's `Buffer` adds: one class of array keeps the scan fast. */
function plainBytes(input: Uint8Array | string): Uint8Array {
  if (typeof input === "string") return new TextEncoder().encode(input);
  return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
}
