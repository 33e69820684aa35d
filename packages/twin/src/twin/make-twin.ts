/** makeTwin: a cluster of simulated nodes with the configuration and the figures of another one. */
import type { ClusterStores } from "@ganeti-ts/cluster";
import { createConfiguration, Snapshot } from "@ganeti-ts/config";
import { type ClusterObject, type NodeObject, type Random, randomHex } from "@ganeti-ts/protocol";
import type { NodeStates } from "@ganeti-ts/simulated-nodes";
import { machinesOf } from "./machines.js";
import type { TwinOrigin } from "./origin.js";

/** Stores without a cluster. */
export interface TwinStores extends Pick<ClusterStores, "jobs" | "config"> {
  readonly nodeStates: NodeStates;
}

/**
 * Writes the cluster into stores that have none. They must be closed afterwards: a queue that is opened on them would
 * not see the filter rules.
 */
export async function makeTwin(
  { jobs, config, nodeStates }: TwinStores,
  origin: TwinOrigin,
  random: Random,
): Promise<void> {
  const content = {
    ...origin.content,
    cluster: withCertificates(origin.content.cluster, origin.content.nodes, random),
  };
  const { hosts, shared } = machinesOf(Snapshot.of(content), origin);
  const states = hosts.map((host) => [host.name, JSON.stringify(host)] as const);
  await nodeStates.save(new Map([...states, ["", JSON.stringify(shared)]]));
  await jobs.step(
    () => [],
    () => origin.filters.map((rule) => ({ kind: "rule", rule }) as const),
  );
  // Written last, because a stored configuration marks the twin as complete.
  await createConfiguration(config, content);
}

/** Every master candidate has a certificate; its simulated machine gets one with this digest. */
function withCertificates(
  cluster: ClusterObject,
  nodes: readonly NodeObject[],
  random: Random,
): ClusterObject {
  const candidates = nodes.filter(({ master_candidate }) => master_candidate);
  const digest = () => (randomHex(random, 20).toUpperCase().match(/../g) ?? []).join(":");
  const candidate_certs = Object.fromEntries(
    candidates.map(({ uuid }) => [uuid, cluster.candidate_certs[uuid] ?? digest()]),
  );
  return { ...cluster, candidate_certs };
}
