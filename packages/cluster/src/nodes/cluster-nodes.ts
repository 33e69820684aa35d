/**
 * clusterNodes: wraps the node back end of a cluster. It introduces addresses, spares offline nodes
 * and makes nodes refuse dead workers.
 */
import type { Configuration } from "@ganeti-ts/config";
import {
  type MasterHost,
  type NodeAddress,
  type NodeBackend,
  RefusingNodes,
  sparingOfflineNodes,
} from "@ganeti-ts/node-calls";
import type { NodeObject, NodeUuid } from "@ganeti-ts/protocol";
import type { NodePorts } from "../ports.js";

export interface ClusterNodes {
  /** Back end that makes no calls to offline nodes. */
  readonly nodes: NodeBackend;
  readonly masterHost: MasterHost;
  /** Makes nodes refuse dead workers. */
  readonly refusing: RefusingNodes;
}

/** Introduces every node of the configuration, and later ones when they are added. */
export async function clusterNodes(
  { backend, fence, masterHost }: NodePorts,
  config: Configuration,
): Promise<ClusterNodes> {
  for (const node of config.snapshot.nodes()) await backend.introduce(addressOf(node));
  // Another worker may have added nodes. A failed introduction is repeated by the first call.
  config.onChange(({ changes }) => {
    for (const change of changes) {
      if (change.kind !== "put" || change.type !== "node") continue;
      backend.introduce(addressOf(change.object)).catch(() => undefined);
    }
  });
  const isOffline = (uuid: string) => config.snapshot.node(uuid as NodeUuid)?.offline ?? false;
  const refusing = new RefusingNodes({
    nodes: backend,
    fence,
    reachable: () =>
      [...config.snapshot.nodes()].flatMap(({ uuid, offline }) => (offline ? [] : [uuid])),
  });
  return { nodes: sparingOfflineNodes(refusing, isOffline), masterHost, refusing };
}

const addressOf = ({ uuid, name, primary_ip, secondary_ip }: NodeObject): NodeAddress => ({
  uuid,
  name,
  primaryIp: primary_ip,
  secondaryIp: secondary_ip,
});
