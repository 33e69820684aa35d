/** What a new cluster is told, checked and filled in as if somebody had told it a cluster that is there. */

import { Allocators } from "@ganeti-ts/allocators";
import { allocatorPrograms } from "@ganeti-ts/allocators/programs";
import {
  Configuration,
  type ConfigurationContent,
  createConfiguration,
  createMemoryStore,
  type StoredConfiguration,
} from "@ganeti-ts/config";
import { type OperationContext, OperationError } from "@ganeti-ts/job-queue";
import type { NodeBackend } from "@ganeti-ts/node-calls";
import type { JobId, JsonObject, Opcode } from "@ganeti-ts/protocol";
import { type Clock, secureRandom } from "@ganeti-ts/protocol";
import { executorOf } from "./executor.js";
import { NewClusterError } from "./new-cluster-file.js";
import { simulatedNodes } from "./nodes.js";

export interface Settling {
  /** Of OP_CLUSTER_SET_PARAMS. */
  readonly parameters: JsonObject | undefined;
  readonly clock: Clock;
  readonly allocatorPath: readonly string[];
}

/** That configuration with those parameters and its nodes' certificates, as it is stored. @throws NewClusterError */
export async function settledConfiguration(
  content: ConfigurationContent,
  { parameters = {}, clock, allocatorPath }: Settling,
): Promise<StoredConfiguration> {
  const store = createMemoryStore();
  await createConfiguration(store, content);
  const config = await Configuration.open(store, { clock, random: secureRandom });
  // Machines that nobody will see: equal ones are made when the cluster is first served.
  const clusterNodes = await simulatedNodes(config, { clock });
  const { nodes } = clusterNodes;
  await exchangeCertificates(config, nodes);
  if (Object.keys(parameters).length === 0) return store.load();
  const runner = allocatorPrograms({ searchPath: allocatorPath });
  const executor = executorOf(config, clusterNodes, new Allocators({ nodes, runner }));
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
const nobody = { lease: "", signal: new AbortController().signal };

/** The cluster knows those of its master candidates, as nodes that join it tell them. */
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

/** Nobody else is there yet: whatever is asked for is held, and there is no log and no queue. */
const aloneOn = (locks: OperationContext["locks"]): OperationContext => ({
  ...{ ...nobody, jobId: noJob, opcodeIndex: 0, locks },
  priority: () => 0,
  log: async () => undefined,
  submit: async (jobs) => jobs.map(() => [false, "there is no queue yet"]),
  release: async () => undefined,
});
