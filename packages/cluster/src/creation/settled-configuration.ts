/**
 * settledConfiguration: the first configuration of a cluster, checked and completed by the
 * operation that changes existing clusters.
 */

import { Allocators } from "@ganeti-ts/allocators";
import {
  Configuration,
  type ConfigurationContent,
  createConfiguration,
  createMemoryStore,
  type LoadedConfiguration,
} from "@ganeti-ts/config";
import { type OperationContext, OperationError } from "@ganeti-ts/job-queue";
import { createExecutor } from "@ganeti-ts/logical-units";
import type { NodeBackend } from "@ganeti-ts/node-calls";
import type { JobId, JsonObject, Opcode } from "@ganeti-ts/protocol";
import { nobody } from "../nodes/asking-nodes.js";
import { clusterNodes } from "../nodes/cluster-nodes.js";
import { portOf } from "../ports.js";
import { type CreationPorts, NewClusterError } from "./new-cluster.js";

/**
 * The configuration with these parameters and the certificates of its nodes, ready to be stored.
 * @param parameters parameters of OP_CLUSTER_SET_PARAMS @throws NewClusterError
 */
export async function settledConfiguration(
  content: ConfigurationContent,
  parameters: JsonObject = {},
  ports: CreationPorts,
): Promise<LoadedConfiguration> {
  const { clock, random, allocatorPrograms } = ports;
  const store = createMemoryStore();
  await createConfiguration(store, content);
  const config = await Configuration.open(store, { clock, random });
  const now = () => config.snapshot;
  const { nodes, masterHost } = await clusterNodes(await portOf(ports.nodes, now), config);
  await exchangeCertificates(config, nodes);
  if (Object.keys(parameters).length === 0) return store.load();
  const executor = createExecutor({
    config,
    nodes,
    masterHost,
    clock,
    random,
    resolver: await portOf(ports.resolver, now),
    allocators: new Allocators({ nodes, ...(allocatorPrograms && { runner: allocatorPrograms }) }),
  });
  const opcode = { ...parameters, OP_ID: "OP_CLUSTER_SET_PARAMS" } as Opcode;
  try {
    await executor.run(opcode, aloneOn(executor.locks?.(opcode, noJob) ?? []));
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    throw new NewClusterError(error.message, { cause: error });
  }
  return store.load();
}

const noJob = 0 as JobId;

/**
 * Records the certificates of the master candidates in the configuration, as for nodes that join later.
 */
async function exchangeCertificates(config: Configuration, nodes: NodeBackend): Promise<void> {
  const candidate_certs: Record<string, string> = {};
  for (const { uuid, master_candidate } of config.snapshot.nodes()) {
    if (!master_candidate) continue;
    const answer = await nodes.call(uuid, "node_crypto_tokens", {}, nobody);
    if (answer.ok) candidate_certs[uuid] = answer.value.digest;
  }
  await config.change(({ cluster }) => ({
    changes: [{ kind: "cluster", object: { ...cluster, candidate_certs } }],
    value: null,
  }));
}

/** Context without other jobs: all requested locks are granted, and there is no log and no queue. */
const aloneOn = (locks: OperationContext["locks"]): OperationContext => ({
  ...nobody,
  jobId: noJob,
  opcodeIndex: 0,
  locks,
  priority: () => 0,
  log: async () => undefined,
  submit: async (jobs) => jobs.map(() => [false, "there is no queue yet"]),
  release: async () => undefined,
});
