/** Queries as they travel: schema, reading and writing. */
import { asciiJson, spacedJson } from "@ganeti-ts/protocol";
import * as z from "zod";
import {
  type ConfdType,
  clockSkewMaxSeconds,
  confdMagic,
  confdProtocol,
  confdTypes,
  datagramBytesMax,
  queryBytesMax,
} from "./constants.js";
import { type ConfdFault, jsonOf, signatureOf, unpackSigned } from "./signed-message.js";

/** A query that is an object; null and an absent key are the same. */
const ConfdQueryObject = z
  .strictObject({
    /** Link of the instances' NICs; the cluster's default if absent. */
    "0": z.string().nullable().optional(),
    /** One address; wins over a list. */
    "1": z.string().nullable().optional(),
    "2": z.array(z.string()).readonly().nullable().optional(),
    /** Fields of the master, see `masterFields`. */
    "3": z
      .array(z.literal([0, 1, 2]))
      .readonly()
      .nullable()
      .optional(),
  })
  .readonly();

/** Schema of the argument of a query: none, a name or an object. */
export const ConfdArgument = z.union([z.null(), z.string(), ConfdQueryObject]);
export type ConfdArgument = z.infer<typeof ConfdArgument>;

const typeNumbers = Object.values(confdTypes) as [ConfdType, ...ConfdType[]];

/** The inner message of a query. */
export const ConfdQuery = z
  .strictObject({
    protocol: z.int(),
    type: z.literal(typeNumbers),
    query: ConfdArgument.default(null),
    /** Names the query in its answers; unique among a client's pending ones. */
    rsalt: z.string(),
  })
  .readonly();
export type ConfdQuery = z.infer<typeof ConfdQuery>;

/** Result of reading a datagram: the query, or the reason why it is dropped. */
type QueryReading =
  | { readonly ok: true; readonly query: ConfdQuery }
  | { readonly ok: false; readonly fault: ConfdFault | "unknown query" };

/** Blanks may precede the digits, as in Ganeti. */
const timestamp = /^\s*-?\d{1,15}$/;

/**
 * Reads the first `queryBytesMax` bytes of a datagram. A valid signature does not promise a query that
 * makes sense: a wrong shape or an unknown type is `unknown query`, another protocol version is not.
 */
export function readConfdQuery(
  datagram: Uint8Array,
  { key, nowSeconds }: { readonly key: Uint8Array; readonly nowSeconds: number },
): QueryReading {
  const unpacked = unpackSigned(datagram.subarray(0, queryBytesMax), key);
  if (!unpacked.ok) {
    const isCut = unpacked.fault === "malformed" && datagram.length > queryBytesMax;
    return { ok: false, fault: isCut ? "oversized" : unpacked.fault };
  }
  const { msg, salt } = unpacked;
  if (!timestamp.test(salt)) return { ok: false, fault: "clock skew" };
  if (Math.abs(Number(salt) - Math.floor(nowSeconds)) > clockSkewMaxSeconds) {
    return { ok: false, fault: "clock skew" };
  }
  const inner = ConfdQuery.safeParse(jsonOf(msg));
  return inner.success ? { ok: true, query: inner.data } : { ok: false, fault: "unknown query" };
}

/** Byte for byte as Ganeti's client writes it. @throws RangeError beyond `datagramBytesMax` */
export function writeConfdQuery(
  query: Omit<ConfdQuery, "protocol">,
  { key, nowSeconds }: { readonly key: Uint8Array; readonly nowSeconds: number },
): Uint8Array {
  const { type, query: argument, rsalt } = query;
  const inner = { protocol: confdProtocol, type, query: argument, rsalt };
  // Ganeti's server reads bytes as characters, so that only escapes arrive as what they are.
  const msg = `${asciiJson(spacedJson(inner))}\n`;
  const salt = String(Math.floor(nowSeconds));
  const outer = { msg, salt, hmac: signatureOf(key, salt, msg) };
  const datagram = Buffer.from(`${confdMagic}${spacedJson(outer)}\n`);
  if (datagram.length > datagramBytesMax) {
    throw new RangeError(`Packet too big: ${datagram.length} > ${datagramBytesMax}`);
  }
  return datagram;
}
