/** UUID of a new object, reported on a terminal: it stays when the object is renamed. */
import type { QueryKind } from "../cluster.js";
import type { Invocation } from "../invocation.js";

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
