/** Groups of a network command. */
import type { Cluster } from "../../cluster.js";

/** The named groups; otherwise the UUIDs of all. */
export async function groupsOrAll(
  named: readonly string[],
  cluster: Cluster,
): Promise<readonly string[]> {
  if (named.length > 0) return named;
  const { data } = await cluster.query("group", ["uuid"], null);
  return data.map(([cell]) => String(cell?.[1]));
}
