/** The tables that programs print on stderr under a title, if they are asked for. */
import type { Cluster } from "@ganeti-ts/htools";
import type { Settings } from "../settings.js";
import { instanceMap } from "./instance-map.js";
import { nodeTable } from "./node-table.js";

/** The nodes the cluster shows, with a title such as `Initial cluster`; empty if not wanted. */
export function nodeTableText(
  title: string,
  cluster: Cluster,
  { printNodes, simulate }: Settings,
): string {
  if (printNodes === undefined) return "";
  const firstIndex = simulate.length > 0 ? 1 : 0;
  return `\n${title} status:\n${nodeTable(cluster, printNodes, firstIndex)}\n`;
}

/** The instances the cluster shows, with a title such as `Initial`; empty if not wanted. */
export const instanceMapText = (
  title: string,
  cluster: Cluster,
  { printInstances }: Settings,
): string => (printInstances ? `\n${title} instance map:\n${instanceMap(cluster)}` : "");
