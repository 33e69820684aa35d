/**
 * Decoder for the allocator message that Ganeti passes to `hail`: bytes in, cluster and request out.
 *
 * Two passes: the text is checked and its values are located (`json/scan.ts`), then records are read from it
 * in Ganeti's order, so that of several faults the one that Ganeti reports is reported. Small messages are first
 * tried with the engine's own parser (`json/parsed-values.ts`), larger ones of the usual form with a faster
 * decoder (`json/record-scan.ts`, `quick-cluster.ts`).
 */
import {
  type ClusterData,
  type GroupData,
  type InstanceColumns,
  type InstanceData,
  type NodeData,
  noteInstanceColumns,
} from "../cluster-data.js";
import { MessageError } from "../errors.js";
import { closeBrace, openBrace } from "../json/byte.js";
import { JsonDocument } from "../json/json-document.js";
import type { JsonValues } from "../json/json-values.js";
import { inexact, parsedValues } from "../json/parsed-values.js";
import { RecordReader } from "../json/record-reader.js";
import { type Records, scanRecords } from "../json/record-scan.js";
import { jsonError } from "../json/syntax-error.js";
import { decodeGroup } from "./decode-group.js";
import { decodeInstance } from "./decode-instance.js";
import { decodeNode } from "./decode-node.js";
import { decodeRequest } from "./decode-request.js";
import { hypervisors } from "./hypervisor.js";
import {
  clusterShape,
  quickInstances,
  quickNodes,
  tableExtents,
  unusual,
} from "./quick-cluster.js";
import { quickColumns } from "./quick-columns.js";
import type { AllocatorMessage } from "./request.js";

// Provided by Node and browsers, not by the language's standard library.
declare const TextEncoder: { new (): { encode(text: string): Uint8Array } };

/**
 * Reads an allocator message (protocol version 2).
 *
 * Groups, nodes and instances keep the order of their keys, integer-like or not; a repeated key gives two
 * elements, and names refer to the later one. Inside a record the first of repeated keys counts. `version`,
 * `cluster_name` and the cluster's own `ipolicy` are ignored.
 *
 * @throws MessageError with the text that Ganeti's `hail` prints after `Error: `
 */
export function decodeMessage(input: Uint8Array | string): AllocatorMessage {
  const bytes = plainBytes(input);
  return decodeParsed(bytes) ?? decodeQuickly(bytes) ?? decodeScanned(bytes);
}

/** The decoder for small messages; undefined for those it does not read exactly or would have to refuse. */
export function decodeParsed(bytes: Uint8Array): AllocatorMessage | undefined {
  const values = parsedValues(bytes);
  if (values === undefined) return undefined;
  try {
    return decode(values);
  } catch (error) {
    if (error === inexact || error instanceof MessageError) return undefined;
    throw error;
  }
}

/** Readers for nodes and instances. */
interface Readers {
  readonly nodes: (groupsByUuid: ReadonlyMap<string, number>) => NodeData[];
  /** Validates all instances; creates them when the returned function is called. */
  readonly instances: (nodesByName: ReadonlyMap<string, number>) => () => InstanceData[];
  readonly columns: InstanceColumns | undefined;
}

/** Below this message size, reading instances is faster than reading columns. */
const columnsFromBytes = 2 ** 16;

/** The fast decoder; undefined for messages it does not understand or would have to refuse. */
export function decodeQuickly(
  bytes: Uint8Array,
  columnsFrom = columnsFromBytes,
): AllocatorMessage | undefined {
  const records = scanRecords(bytes, clusterShape);
  if (records === undefined) return undefined;
  try {
    const columns = bytes.length < columnsFrom ? undefined : quickColumns(records);
    const readers: Readers = {
      nodes: (groupsByUuid) => quickNodes(records, groupsByUuid),
      instances: (nodesByName) =>
        whenNeeded(() => quickInstances(records, nodesByName), columns !== undefined),
      columns,
    };
    return decode(new JsonDocument(withoutTables(bytes, records)), readers);
  } catch (error) {
    if (error === unusual || error instanceof MessageError) return undefined;
    throw error;
  }
}

/** Calls `make` once: now, or when the value is needed. */
function whenNeeded<T>(make: () => T, later: boolean): () => T {
  let made = later ? undefined : make();
  return () => {
    made ??= make();
    return made;
  };
}

/** The text with `{}` in place of the parts read from records, which are nearly all of it. */
function withoutTables(bytes: Uint8Array, records: Records): Uint8Array {
  const [first, second] = tableExtents(records);
  return joined([
    bytes.subarray(0, first.begin),
    emptyObject,
    bytes.subarray(first.end, second.begin),
    emptyObject,
    bytes.subarray(second.end),
  ]);
}

const emptyObject = Uint8Array.of(openBrace, closeBrace);

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** The complete decoder, which words every refusal. */
export function decodeScanned(bytes: Uint8Array): AllocatorMessage {
  return decode(new JsonDocument(bytes));
}

function decode(document: JsonValues, readers?: Readers): AllocatorMessage {
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

/** Bytes without the subclass of Node's `Buffer`: a single array class keeps the scan fast. */
function plainBytes(input: Uint8Array | string): Uint8Array {
  if (typeof input === "string") return new TextEncoder().encode(input);
  return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
}
