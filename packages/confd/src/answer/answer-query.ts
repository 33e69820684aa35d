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
  switch (type) {
    case confdTypes.ping:
      return found(now.version, 0);
    case confdTypes.nodeRole:
      return nodeRole(now, query);
    case confdTypes.nodeIpOfInstanceIp:
      return nodeIpOfInstanceIp(now, query);
    case confdTypes.clusterMaster:
      return clusterMaster(now, query);
    case confdTypes.nodeIps:
      return nodeIps(now);
    case confdTypes.candidateIps:
      return candidateIps(now);
    case confdTypes.instanceIps:
      return instanceIps(now, query);
    case confdTypes.nodeDrbd:
      return nodeDrbd(now, query);
    case confdTypes.nodeInstances:
      return nodeInstances(now, query);
    case confdTypes.instanceDisks:
      return instanceDisks(now, query);
    case confdTypes.configValue:
      return configValue(now, query, filters);
    case confdTypes.dataCollectors:
      return dataCollectors(now);
    case confdTypes.offlineNodes:
      return offlineNodes(now);
    case confdTypes.instances:
      return instanceNames(now);
    case confdTypes.instanceNodes:
      return instanceNodes(now, query);
  }
}
