/** Reports of commands that create or change an object. */

import { type Json, pythonText } from "@ganeti-ts/protocol";
import type { QueryKind } from "../cluster.js";
import type { Invocation, Output } from "../invocation.js";

/** With `--json`, prints a document. Pipes get the output of Ganeti, which is none. */
export async function reportUuid(
  { cluster, out }: Pick<Invocation, "cluster" | "out">,
  kind: QueryKind,
  name: string,
): Promise<void> {
  if (out.terminal === undefined && !out.json) return;
  // The server may complete a short name.
  const { data } = await cluster.query(kind, ["name", "uuid"], ["==", "name", name]);
  for (const row of data) {
    const [full, uuid] = row.map(([, value]) => String(value));
    out.document({ kind, name: full ?? name, uuid: uuid ?? null });
    if (!out.json) out.line(`Created ${kind} ${full}, UUID ${uuid}`);
  }
}

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
