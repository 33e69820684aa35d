/** Tables that programs print on stderr under a title, if requested. */
import type { Cluster } from "@ganeti-ts/htools";
import type { Settings } from "../settings.js";
import { instanceMap } from "./instance-map.js";
import { nodeTable } from "./node-table.js";

/** The nodes of the cluster, with a title such as `Initial cluster`; empty unless requested. */
export function nodeTableText(
  title: string,
  cluster: Cluster,
  { printNodes, simulate }: Settings,
): string {
  if (printNodes === undefined) return "";
  const firstIndex = simulate.length > 0 ? 1 : 0;
  return `\n${title} status:\n${nodeTable(cluster, printNodes, firstIndex)}\n`;
}

/** The instances of the cluster, with a title such as `Initial`; empty unless requested. */
export const instanceMapText = (
  title: string,
  cluster: Cluster,
  { printInstances }: Settings,
): string => (printInstances ? `\n${title} instance map:\n${instanceMap(cluster)}` : "");
