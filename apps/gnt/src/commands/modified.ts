/** Report of changes, as printed by `modify` commands. */
import type { Json } from "@ganeti-ts/protocol";
import { pythonText } from "@ganeti-ts/protocol";
import type { Output } from "../invocation.js";

/** `result` lists parameters with their new values; nothing is printed for an empty list. */
export function printModified(out: Output, what: string, result: Json): void {
  const changes = (result ?? []) as readonly (readonly [string, Json])[];
  if (changes.length === 0) return;
  out.line(`Modified ${what}`);
  for (const [name, value] of changes) {
    out.line(` - ${name.padEnd(5)} -> ${pythonText(value)}`);
  }
  out.document(changes as Json);
}
