/** Ports of consoles and drbd disks, allocated cluster-wide. */
import type { ClusterObject } from "@ganeti-ts/protocol";
import { ConfigError } from "./config-error.js";
import { portFirst, portLast } from "./defaults.js";

/**
 * The lowest released port, otherwise the next unused one; and the cluster without it. For several ports in
 * one change, pass on the returned cluster. @throws ConfigError `insufficient_resources` if there are no more
 */
export function allocatePort(cluster: ClusterObject): {
  readonly port: number;
  readonly cluster: ClusterObject;
} {
  const pool = [...cluster.tcpudp_port_pool].sort((a, b) => a - b);
  const [free] = pool;
  if (free !== undefined) {
    return { port: free, cluster: { ...cluster, tcpudp_port_pool: pool.slice(1) } };
  }
  const port = Math.max(cluster.highest_used_port + 1, portFirst);
  if (port > portLast) {
    throw new ConfigError(
      "insufficient_resources",
      `The highest used port is greater than ${portLast}. Aborting.`,
    );
  }
  return { port, cluster: { ...cluster, highest_used_port: port } };
}

/** The cluster with these ports released. */
export function releasePorts(cluster: ClusterObject, ports: readonly number[]): ClusterObject {
  if (ports.length === 0) return cluster;
  const pool = new Set([...cluster.tcpudp_port_pool, ...ports]);
  return { ...cluster, tcpudp_port_pool: [...pool].sort((a, b) => a - b) };
}
