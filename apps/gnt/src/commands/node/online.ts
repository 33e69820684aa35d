/** Online nodes, for operations on each of them. */
import type { FilterExpression } from "@ganeti-ts/protocol";
import type { Invocation } from "../../invocation.js";

export interface OnlineNode {
  readonly name: string;
  readonly isMaster: boolean;
}

/**
 * The named nodes, or all, within the group if given; offline ones are left out and reported on
 * standard error. In the order of the server.
 */
export async function onlineNodes(
  { cluster, out }: Invocation,
  named: readonly string[],
  group: string | undefined,
): Promise<readonly OnlineNode[]> {
  const conditions: FilterExpression[] = [];
  if (named.length > 0)
    conditions.push(["|", ...named.map((name) => ["=", "name", name] as const)]);
  if (group !== undefined) {
    conditions.push(["|", ["=", "group", group], ["=", "group.uuid", group]]);
  }
  const filter = conditions.length > 1 ? (["&", ...conditions] as const) : (conditions[0] ?? null);
  const { data } = await cluster.query("node", ["name", "offline", "master"], filter);
  const nodes = data.map(([name, offline, master]) => ({
    name: String(name?.[1]),
    isMaster: Boolean(master?.[1]),
    isOffline: Boolean(offline?.[1]),
  }));
  const offline = nodes.filter(({ isOffline }) => isOffline).map(({ name }) => name);
  if (offline.length > 0) out.error(`Note: skipping offline node(s): ${offline.join(", ")}`);
  return nodes.filter(({ isOffline }) => !isOffline);
}
