/** Nodes that can be asked something. */
import type { FilterExpression } from "@ganeti-ts/protocol";
import type { Invocation } from "../../invocation.js";

/**
 * Of those that are named, or of all, and of that group; those that are offline are left out, and told of
 * on standard error.
 */
export async function onlineNodes(
  { cluster, out }: Invocation,
  named: readonly string[],
  group: string | undefined,
): Promise<readonly string[]> {
  const conditions: FilterExpression[] = [];
  if (named.length > 0)
    conditions.push(["|", ...named.map((name) => ["=", "name", name] as const)]);
  if (group !== undefined) {
    conditions.push(["|", ["=", "group", group], ["=", "group.uuid", group]]);
  }
  const filter = conditions.length > 1 ? (["&", ...conditions] as const) : (conditions[0] ?? null);
  const { data } = await cluster.query("node", ["name", "offline"], filter);
  const names = (wanted: boolean) =>
    data
      .filter(([, offline]) => Boolean(offline?.[1]) === wanted)
      .map(([name]) => String(name?.[1]));
  const offline = names(true);
  if (offline.length > 0) out.error(`Note: skipping offline node(s): ${offline.join(", ")}`);
  return names(false);
}
