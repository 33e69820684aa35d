/** Errors about malformed JSON text, with their position. */
import { MessageError } from "../errors.js";

/**
 * An error at byte `offset` (which may be the end of the text); `what` describes it. `text` has a character for each
 * byte. Lines and columns count from 1, columns in bytes; the message quotes the text at this position.
 */
export function syntaxError(
  text: string,
  offset: number,
  what: string,
  subject: string,
): MessageError {
  const lines = text.slice(0, offset).split("\n");
  const column = (lines.at(-1) as string).length + 1;
  const place = `line ${lines.length}, column ${column} (byte ${offset})`;
  return jsonError(`${what} at ${place}, found ${found(text, offset)}`, subject);
}

/** An error about the text as a whole; `subject` says which text it is. */
export function jsonError(what: string, subject = allocatorMessage): MessageError {
  return new MessageError("malformed_json", `${subject}: ${what}`);
}

/** The usual subject, in Ganeti's words. */
export const allocatorMessage = "Parsing input IAllocator message";

/** The next few characters, or a byte if it cannot be shown. */
function found(text: string, offset: number): string {
  if (offset >= text.length) return "the end of the text";
  const [shown] = /^[ -~]*/.exec(text.slice(offset, offset + 10)) as RegExpExecArray;
  if (shown !== "") return `"${shown}"`;
  return `byte 0x${text.charCodeAt(offset).toString(16).padStart(2, "0")}`;
}
