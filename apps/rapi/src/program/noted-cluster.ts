/** withNote: a cluster whose information has a note that it is a twin or a shadow. */
import type { Cluster } from "@ganeti-ts/cluster";

/** Adds the key `note` to the cluster information of `/2/info` and of the local protocol. */
export function withNote(cluster: Cluster, note: string | undefined): Cluster {
  if (note === undefined) return cluster;
  const { objects } = cluster;
  return { ...cluster, objects: { ...objects, info: () => ({ ...objects.info(), note }) } };
}
