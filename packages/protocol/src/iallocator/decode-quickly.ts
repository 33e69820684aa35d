/**
 * Decoder for large messages of the usual form: nodes and instances are read from records (`json/record-scan.ts`,
 * `quick-cluster.ts`), the rest from the values of the text.
 */
import { MessageError } from "../errors.js";
import { closeBrace, openBrace } from "../json/byte.js";
import { JsonDocument } from "../json/json-document.js";
import { type Records, scanRecords } from "../json/record-scan.js";
import { decodeValues, type Readers } from "./decode-values.js";
import {
  clusterShape,
  quickInstances,
  quickNodes,
  tableExtents,
  unusual,
} from "./quick-cluster.js";
import { quickColumns } from "./quick-columns.js";
import type { AllocatorMessage } from "./request.js";

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
    return decodeValues(new JsonDocument(withoutTables(bytes, records)), readers);
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
