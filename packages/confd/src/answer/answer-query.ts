/** Answers to queries from a snapshot of the configuration. */
import type { Snapshot } from "@ganeti-ts/config";
import type { FilterRule } from "@ganeti-ts/protocol";
import { type ConfdOutcome, found } from "../wire/answer.js";
import { confdProtocol, confdStatuses, confdTypes } from "../wire/constants.js";
import type { ConfdQuery } from "../wire/query.js";
import { clusterMaster, configValue, dataCollectors } from "./cluster.js";
import { instanceDisks, instanceIps, instanceNames, instanceNodes } from "./instances.js";
import {
  candidateIps,
  nodeDrbd,
  nodeInstances,
  nodeIpOfInstanceIp,
  nodeIps,
  nodeRole,
  offlineNodes,
} from "./nodes.js";

/**
 * Answers a query that has been read with `readConfdQuery`. Pure. A lookup takes O(log n), a list as
 * long as its answer; nothing else visits all nodes or instances. Objects that running creations hold
 * are not part of any answer. Filter rules are kept by the job queue and shown as part of the configuration.
 */
export function answerConfdQuery(
  now: Snapshot,
  { protocol, type, query }: Pick<ConfdQuery, "protocol" | "type" | "query">,
  filters: readonly FilterRule[] = [],
): ConfdOutcome {
  if (protocol !== confdProtocol) {
    const answer = `Unsupported protocol version ${protocol}`;
    return { status: confdStatuses.notImplemented, answer, serial: 0 };
  }
  return answers[type](now, query, filters);
}

const answers: Readonly<
  Record<
    ConfdQuery["type"],
    (now: Snapshot, query: ConfdQuery["query"], filters: readonly FilterRule[]) => ConfdOutcome
  >
> = {
  [confdTypes.ping]: (now) => found(now.version, 0),
  [confdTypes.nodeRole]: nodeRole,
  [confdTypes.nodeIpOfInstanceIp]: nodeIpOfInstanceIp,
  [confdTypes.clusterMaster]: clusterMaster,
  [confdTypes.nodeIps]: nodeIps,
  [confdTypes.candidateIps]: candidateIps,
  [confdTypes.instanceIps]: instanceIps,
  [confdTypes.nodeDrbd]: nodeDrbd,
  [confdTypes.nodeInstances]: nodeInstances,
  [confdTypes.instanceDisks]: instanceDisks,
  [confdTypes.configValue]: configValue,
  [confdTypes.dataCollectors]: dataCollectors,
  [confdTypes.offlineNodes]: offlineNodes,
  [confdTypes.instances]: instanceNames,
  [confdTypes.instanceNodes]: instanceNodes,
};
