// Everything about a cluster that placing changes, as plain data to compare.
import type { Cluster } from "../src/model/cluster.js";
import { toArray } from "../src/model/index-list.js";
import { field, rowLength } from "../src/model/node-columns.js";

const columns = Object.entries(field);

/** A node's figures by name, and its lists. Reservations of 0 MiB are none. */
export function nodeSnapshot(cluster: Cluster, node: number) {
  const row = cluster.rows.subarray(node * rowLength, (node + 1) * rowLength);
  return {
    // Adding 0 makes 0 of -0.
    ...Object.fromEntries(columns.map(([name, at]) => [name, (row[at] as number) + 0])),
    primaries: toArray(cluster.primaries[node]),
    secondaries: toArray(cluster.secondaries[node]),
    peers: Object.fromEntries(
      (cluster.peers[node] ?? []).filter(({ mib }) => mib > 0).map((peer) => [peer.node, peer.mib]),
    ),
    exclusionTags: Object.fromEntries(cluster.exclusionTags[node] ?? []),
    locationPairs: Object.fromEntries(cluster.locationPairs[node] ?? []),
  };
}

export const snapshot = (cluster: Cluster) => ({
  nodes: cluster.data.nodes.map((_, node) => nodeSnapshot(cluster, node)),
  instances: cluster.instances.map(({ data }, index) => ({
    name: data.name,
    primary: cluster.primaryOf[index],
    secondary: cluster.secondaryOf[index],
    locationScore: cluster.locationScoreOf[index],
  })),
  data: structuredClone(cluster.data),
});
