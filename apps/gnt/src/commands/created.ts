/** UUID of a new object, reported on a terminal: it stays when the object is renamed. */
import type { QueryKind } from "../cluster.js";
import type { Invocation } from "../invocation.js";

/** Pipes get what Ganeti prints, which is nothing. */
export async function reportUuid(
  { cluster, out }: Pick<Invocation, "cluster" | "out">,
  kind: QueryKind,
  name: string,
): Promise<void> {
  if (out.terminal === undefined) return;
  // The server may complete a short name.
  const { data } = await cluster.query(kind, ["name", "uuid"], ["==", "name", name]);
  for (const [full, uuid] of data) out.line(`Created ${kind} ${full?.[1]}, UUID ${uuid?.[1]}`);
}
