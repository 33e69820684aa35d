/** Signed datagrams: the magic bytes, and a JSON object with a message, its salt and its HMAC. */
import { createHmac, timingSafeEqual } from "node:crypto";
import * as z from "zod";
import { confdMagic } from "./constants.js";

/** The outer object; a further key makes a datagram invalid, as in Ganeti. */
const SignedMessage = z.strictObject({
  /** HMAC-SHA1 of salt and message in UTF-8, hexadecimal. */
  hmac: z.string(),
  /** JSON of the inner message, signed byte for byte. */
  msg: z.string(),
  /** Time of a query in whole seconds; `rsalt` of the query in its answer. */
  salt: z.string(),
});

/** Why a datagram is not read. */
export type ConfdFault =
  | "no magic"
  | "malformed"
  | "wrong hmac"
  | "clock skew"
  /** The datagram is longer than the part that is read, and that part is not a message. */
  | "oversized";

export type Unpacked =
  | { readonly ok: true; readonly msg: string; readonly salt: string }
  | { readonly ok: false; readonly fault: ConfdFault };

/** The key is the whole content of the key file, with its newline. */
export const signatureOf = (key: Uint8Array, salt: string, msg: string): string =>
  createHmac("sha1", key)
    .update(salt + msg, "utf8")
    .digest("hex");

/** Checks magic, form and signature, in this order; upper-case digits of an HMAC count too. */
export function unpackSigned(datagram: Uint8Array, key: Uint8Array): Unpacked {
  const bytes = Buffer.from(datagram.buffer, datagram.byteOffset, datagram.byteLength);
  if (bytes.toString("latin1", 0, confdMagic.length) !== confdMagic) return fault("no magic");
  const outer = SignedMessage.safeParse(jsonOf(textOf(bytes.subarray(confdMagic.length))));
  if (!outer.success) return fault("malformed");
  const { hmac, msg, salt } = outer.data;
  const expected = Buffer.from(signatureOf(key, salt, msg));
  const found = Buffer.from(hmac.toLowerCase());
  const isGenuine = found.length === expected.length && timingSafeEqual(found, expected);
  return isGenuine ? { ok: true, msg, salt } : fault("wrong hmac");
}

/** undefined if the text is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * Ganeti's server signs a text as UTF-8, but sends characters up to U+00FF as single bytes; the
 * signature tells whether a text has been read as it was meant.
 */
function textOf(bytes: Buffer): string {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return bytes.toString("latin1");
  }
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true });

const fault = (why: ConfdFault): Unpacked => ({ ok: false, fault: why });
