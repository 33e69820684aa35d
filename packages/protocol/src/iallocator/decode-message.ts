/**
 * Decoder for the allocator message that Ganeti passes to `hail`: bytes in, cluster and request out.
 *
 * Two passes: the text is checked and its values are located (`json/scan.ts`), then records are read from it
 * in Ganeti's order, so that of several faults the one that Ganeti reports is reported. Small messages are first
 * tried with the engine's own parser (`json/parsed-values.ts`), larger ones of the usual form with a faster
 * decoder (`decode-quickly.ts`).
 */
import { MessageError } from "../errors.js";
import { inexact, parsedValues } from "../json/parsed-values.js";
import { decodeQuickly } from "./decode-quickly.js";
import { decodeScanned } from "./decode-scanned.js";
import { decodeValues } from "./decode-values.js";
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
    return decodeValues(values);
  } catch (error) {
    if (error === inexact || error instanceof MessageError) return undefined;
    throw error;
  }
}

/** Bytes without the subclass of Node's `Buffer`: a single array class keeps the scan fast. */
function plainBytes(input: Uint8Array | string): Uint8Array {
  if (typeof input === "string") return new TextEncoder().encode(input);
  return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
}
