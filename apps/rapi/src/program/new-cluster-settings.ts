/** What a new cluster is told, checked and filled in as if somebody had told it a cluster that is there. */
import {
  Configuration,
  type ConfigurationContent,
  createConfiguration,
  createMemoryStore,
  type StoredConfiguration,
  secureRandom,
} from "@ganeti-ts/config";
import { type Clock, type OperationContext, OperationError } from "@ganeti-ts/job-queue";
import { Allocators } from "@ganeti-ts/logical-units";
import { allocatorPrograms } from "@ganeti-ts/logical-units/machine";
import type { JobId, JsonObject, Opcode } from "@ganeti-ts/protocol";
import { executorOf } from "./executor.js";
import { NewClusterError } from "./new-cluster-file.js";
import { simulatedNodes } from "./nodes.js";

export interface Settling {
  /** Of OP_CLUSTER_SET_PARAMS. */
  readonly parameters: JsonObject | undefined;
  readonly clock: Clock;
  readonly allocatorPath: readonly string[];
}

/** That configuration with those parameters, as it is stored. @throws NewClusterError */
export async function settledConfiguration(
  content: ConfigurationContent,
  { parameters, clock, allocatorPath }: Settling,
): Promise<StoredConfiguration> {
  const store = createMemoryStore();
  await createConfiguration(store, content);
  if (parameters === undefined || Object.keys(parameters).length === 0) return store.load();
  const config = await Configuration.open(store, { clock, random: secureRandom });
  // Machines that nobody will see: those of the cluster are made when it is first served.
  const { nodes } = await simulatedNodes(config, { clock });
  const runner = allocatorPrograms({ searchPath: allocatorPath });
  const executor = executorOf(config, nodes, new Allocators({ nodes, runner }));
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

/** Nobody else is there yet: whatever is asked for is held, and there is no log and no queue. */
const aloneOn = (locks: OperationContext["locks"]): OperationContext => ({
  ...{ jobId: noJob, opcodeIndex: 0, lease: "", locks },
  signal: new AbortController().signal,
  priority: () => 0,
  log: async () => undefined,
  submit: async (jobs) => jobs.map(() => [false, "there is no queue yet"]),
  release: async () => undefined,
});
