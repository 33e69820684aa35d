/** Says where and why a text is not JSON. */
import { MessageError } from "../errors.js";

/**
 * The refusal of a text: `what` is wrong at byte `offset` (which may be the end of the text).
 * Lines and columns count from 1, columns and bytes in bytes; what stands there is shown in part.
 */
export function syntaxError(bytes: Uint8Array, offset: number, what: string): MessageError {
  let line = 1;
  let lineStart = 0;
  for (let i = 0; i < offset; i++) {
    if (bytes[i] === 0x0a) {
      line++;
      lineStart = i + 1;
    }
  }
  const place = `line ${line}, column ${offset - lineStart + 1} (byte ${offset})`;
  return jsonError(`${what} at ${place}, found ${found(bytes, offset)}`);
}

/** A refusal of the text as a whole, in the words that introduce every one of them. */
export function jsonError(what: string): MessageError {
  return new MessageError("malformed_json", `Parsing input IAllocator message: ${what}`);
}

/** The next few characters, or bytes where they cannot be shown. */
function found(bytes: Uint8Array, offset: number): string {
  if (offset >= bytes.length) return "the end of the text";
  let shown = "";
  for (const byte of bytes.subarray(offset, offset + 10)) {
    if (byte < 0x20 || byte > 0x7e) break;
    shown += String.fromCharCode(byte);
  }
  if (shown !== "") return `"${shown}"`;
  return `byte 0x${(bytes[offset] ?? 0).toString(16).padStart(2, "0")}`;
}
