/** Warnings about inconsistencies in a cluster, on stderr. */
import { type Cluster, clusterWarnings } from "@ganeti-ts/htools";
import type { Ports } from "../ports.js";

export function warn(cluster: Cluster, { stderr }: Ports): void {
  const warnings = clusterWarnings(cluster).map((warning) => `  - ${warning}\n`);
  if (warnings.length === 0) return;
  stderr(`Warning: cluster has inconsistent data:\n${warnings.join("")}\n`);
}
