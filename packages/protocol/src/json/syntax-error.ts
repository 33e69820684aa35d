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

const introduction = "Parsing input IAllocator message: ";

/** A refusal of the text as a whole, in the words that introduce every one of them. */
export function jsonError(what: string): MessageError {
  return new MessageError("malformed_json", `${introduction}${what}`);
}

/** What `read` gives; its refusals of a text are introduced by `subject` and a colon instead. */
export function reading<T>(subject: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof MessageError && error.code === "malformed_json")) throw error;
    const what = error.message.slice(introduction.length);
    throw new MessageError("malformed_json", `${subject}: ${what}`, { cause: error });
  }
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
