/** Paths and contents of files on the wire. */
import { deflateSync, inflateSync } from "node:zlib";
import type { Json } from "@ganeti-ts/protocol";
import { asList, asText, type Format, WireError } from "./format.js";

const virtualPrefix = "/###-VIRTUAL-PATH-###,";

/** An absolute path, with the prefix of virtual clusters if `virtualPaths` is set. */
export const path: Format<string> = {
  encode: (value, { virtualPaths }) => (virtualPaths ? virtualPrefix + value : value),
  decode(json, { virtualPaths }) {
    const text = asText(json);
    if (!virtualPaths) return text;
    if (text.startsWith(virtualPrefix)) return text.slice(virtualPrefix.length);
    throw new WireError(`Path '${text}' is not a virtual path`);
  },
};

/** Minimum length (characters) of contents that Ganeti's master compresses. */
const compressedMin = 512;

/** Maximum size of an uncompressed file, which protects the memory of nodes; no configuration of Ganeti is that large. */
const contentBytesMax = 256 * 1024 * 1024;

/** `[0, text]`, or `[1, base64 of zlib data]` from 512 characters on. */
export const content: Format<string> = {
  encode: (text) =>
    text.length < compressedMin
      ? [0, text]
      : [1, deflateSync(Buffer.from(text, "utf8"), { level: 3 }).toString("base64")],
  decode(json) {
    const [encoding, data] = asList(json);
    if (encoding === 0) return asText(data as Json);
    if (encoding !== 1) throw new WireError("Unknown data encoding");
    return inflated(asText(data as Json));
  },
};

function inflated(base64: string): string {
  try {
    const bytes = inflateSync(Buffer.from(base64, "base64"), { maxOutputLength: contentBytesMax });
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new WireError(`compressed content: ${(error as Error).message}`);
  }
}
