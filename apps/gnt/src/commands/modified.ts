/** What a change has changed, as `modify` commands print it. */
import type { Json } from "@ganeti-ts/protocol";
import { pythonText } from "@ganeti-ts/protocol";
import type { Output } from "../invocation.js";

/** `result` is a list of parameters with their new values; nothing is printed where nothing has changed. */
export function printModified(out: Output, what: string, result: Json): void {
  const changes = (result ?? []) as readonly (readonly [string, Json])[];
  if (changes.length === 0) return;
  out.line(`Modified ${what}`);
  for (const [name, value] of changes) {
    out.line(` - ${name.padEnd(5)} -> ${pythonText(value)}`);
  }
  out.document(changes as Json);
}
