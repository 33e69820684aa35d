/**
 * The allocator message that Ganeti hands to `hail`: bytes in, a cluster and a request out.
 *
 * Two passes: the text is checked and its values are located (`json/scan.ts`), then records are
 * read out of it in Ganeti's order, so that of several faults Ganeti's one is reported. Messages of
 * usual size that have no fault take a shorter way first (`json/parsed-json.ts`).
 */
import type { GroupData, InstanceData, NodeData } from "../cluster-data.js";
import { MessageError } from "../errors.js";
import { JsonDocument } from "../json/json-document.js";
import type { JsonSource } from "../json/json-source.js";
import { NotParsed, ParsedJson } from "../json/parsed-json.js";
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
  const bytes = plainBytes(input);
  return decodeParsed(bytes) ?? decodeScanned(bytes);
}

/** The quick way; undefined for whatever it does not understand or has to refuse. */
export function decodeParsed(bytes: Uint8Array): AllocatorMessage | undefined {
  try {
    const document = new ParsedJson(bytes);
    return decode(document, document.root);
  } catch (error) {
    if (error instanceof NotParsed || error instanceof MessageError) return undefined;
    throw error;
  }
}

/** The way that loses nothing and finds the words for every refusal. */
export function decodeScanned(bytes: Uint8Array): AllocatorMessage {
  const document = new JsonDocument(bytes);
  if (!document.isObject(0)) throw jsonError("Unable to read JSObject");
  return decode(document, 0);
}

function decode<Value>(document: JsonSource<Value>, root: Value): AllocatorMessage {
  const message = new RecordReader(document, root, "invalid iallocator message: ");
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
function readAll<Value, T>(
  message: RecordReader<Value>,
  key: string,
  read: (name: string, value: Value) => T,
): T[] {
  const all: T[] = [];
  message.document.forEachMember(message.objectValue(key), (name, value) => {
    all.push(read(name, value));
  });
  return all;
}

/** Bytes without the class that Node's `Buffer` adds: one class of array keeps the scan fast. */
function plainBytes(input: Uint8Array | string): Uint8Array {
  if (typeof input === "string") return new TextEncoder().encode(input);
  return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
}
