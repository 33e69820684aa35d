/** Errors about malformed JSON text, with their position. */
import { MessageError } from "../errors.js";

/**
 * An error at byte `offset` (which may be the end of the text); `what` describes it. Lines and columns count
 * from 1, columns and bytes in bytes; the message quotes the beginning of the text at this position.
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

const introduction = "Parsing input IAllocator message: ";

/** An error about the text as a whole, with the common prefix. */
export function jsonError(what: string): MessageError {
  return new MessageError("malformed_json", `${introduction}${what}`);
}

/** Runs `read`; its errors get `subject` and a colon as their prefix instead. */
export function reading<T>(subject: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof MessageError && error.code === "malformed_json")) throw error;
    const what = error.message.slice(introduction.length);
    throw new MessageError("malformed_json", `${subject}: ${what}`, { cause: error });
  }
}

/** The next few characters, or bytes if they cannot be shown. */
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
