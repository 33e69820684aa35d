/** withNote: a cluster whose information says that it is not what it looks like. */
import type { Cluster } from "@ganeti-ts/cluster";

/** A key `note` joins the cluster information, as `/2/info` and the local protocol show it. */
export function withNote(cluster: Cluster, note: string | undefined): Cluster {
  if (note === undefined) return cluster;
  const { objects } = cluster;
  return { ...cluster, objects: { ...objects, info: () => ({ ...objects.info(), note }) } };
}
