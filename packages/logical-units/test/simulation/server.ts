// One simulated server of the cluster: all of its components, on the ports of a process that may
// end.

import { Allocators, NodeFigures } from "@ganeti-ts/allocators";
import { type ConfigStore, Configuration } from "@ganeti-ts/config";
import {
  type Executor,
  JobQueue,
  leaseText,
  type MemoryDatabase,
  type MemoryStore,
  TryAgainError,
} from "@ganeti-ts/job-queue";
import { createLockManager } from "@ganeti-ts/locking";
import {
  type Fence,
  type MasterHost,
  type NodeBackend,
  RefusingNodes,
  sparingOfflineNodes,
} from "@ganeti-ts/node-calls";
import type { JobId, JsonObject, NodeUuid } from "@ganeti-ts/protocol";
import type { Dice, Process } from "@ganeti-ts/testkit/simulation";
import { createExecutor } from "../../src/executor.js";
import { jobIsOver, recoverHeld } from "../../src/recovery.js";
import { configStoreOf, fenceOf, jobStoreOf, type LockDatabase, nodesOf } from "./ports.js";
import { keepGiven, type Reservations } from "./reservations.js";
import { resolver } from "./resolver.js";
import { losingAddresses, losingDisks, type Sabotage, type StagedEvent } from "./sabotage.js";

export interface ServerPorts {
  readonly process: Process;
  readonly store: MemoryStore;
  readonly jobs: MemoryDatabase;
  readonly locks: LockDatabase;
  readonly configStore: ConfigStore;
  readonly nodes: NodeBackend;
  readonly fence: Fence;
  readonly masterHost: (master: () => string) => MasterHost;
  readonly dice: Dice;
  readonly sabotage: Sabotage;
  /** Placements use kept figures of nodes instead of asking all of them. */
  readonly keepsFigures: boolean;
  /** Called when an opcode begins, with `job.index` as key. */
  readonly begins: (key: string, opcodeId: string) => void;
  readonly mayBeginAgain: (key: string) => void;
  readonly reservations: Reservations;
  /** Called before a commit or call leaves the process, and when a node has made a disk. */
  readonly passes: (event: StagedEvent) => void;
  /** Called when a commit under the lease of a dead worker was accepted. */
  readonly deadCommits: (lease: string) => void;
  /** Called with faults found in the configuration. */
  readonly finds: (faults: readonly string[]) => void;
}

export interface Server {
  readonly config: Configuration;
  readonly queue: JobQueue;
}

export async function openServer(ports: ServerPorts): Promise<Server> {
  const { process, store, dice, sabotage } = ports;
  const lease = leaseText(store.claim);
  let inner = ports.configStore;
  if (sabotage.losesDisks) inner = losingDisks(inner);
  if (sabotage.losesAddresses) inner = losingAddresses(inner);
  const configStore = configStoreOf(inner, ports);
  const config = await Configuration.open(configStore, { clock: process, random: dice });
  config.onChange(({ after, faults }) => {
    ports.reservations.sees(after);
    if (faults.length > 0) ports.finds(faults);
  });
  const refusing = new RefusingNodes({
    nodes: nodesOf(ports),
    fence: fenceOf(ports.fence, process),
    reachable: () => [...config.snapshot.nodes()].flatMap((one) => (one.offline ? [] : one.uuid)),
  });
  for (const { uuid, name, primary_ip: ip } of config.snapshot.nodes()) {
    await refusing.introduce({ uuid, name, primaryIp: ip, secondaryIp: ip });
  }
  const isOffline = (uuid: string) => config.snapshot.node(uuid as NodeUuid)?.offline === true;
  const nodes = sparingOfflineNodes(refusing, isOffline);
  const { signal } = new AbortController();
  const giveUp = async (isOver: (job: JobId) => Promise<boolean>) => {
    if (!sabotage.noRecovery) await recoverHeld({ config, nodes, lease, signal }, isOver);
  };
  const queue = await JobQueue.open({
    store: jobStoreOf(store, process, sabotage),
    locks: createLockManager({ store: ports.locks.connect(process, store.claim), clock: process }),
    clock: process,
    random: dice,
    pollMs: 3000,
    executor: executorOf(ports, config, nodes),
    effectTakers: {
      learnFenced: (leases) => {
        if (!sabotage.notifiesNothing) refusing.learnFenced(leases);
      },
      async refuse(dead, jobs) {
        if (!sabotage.notifiesNothing) await refusing.refuse(dead);
        await giveUp(async (job) => jobs.includes(job));
      },
    },
  });
  const ended = { queue, clock: process, lateCallsMs: store.leaseMs };
  const recover = async (): Promise<void> => {
    await giveUp((job) => jobIsOver(ended, job)).catch(() => undefined);
    process.after(30_000, recover);
  };
  await recover();
  return { config, queue };
}

function executorOf(ports: ServerPorts, config: Configuration, nodes: NodeBackend): Executor {
  const { process, dice, sabotage, begins, mayBeginAgain, reservations, jobs, store } = ports;
  const masterHost = ports.masterHost(() => config.snapshot.cluster.master_node);
  const figures = ports.keepsFigures
    ? new NodeFigures({ nodes, clock: process, random: dice }, { ageMaxMs: 30_000 })
    : undefined;
  figures?.follow(config);
  const inner = createExecutor({
    config,
    nodes,
    masterHost,
    allocators: new Allocators({ nodes, ...(figures && { figures }) }),
    resolver,
    clock: process,
    random: dice,
  });
  return {
    locks: (opcode, id) => inner.locks?.(opcode, id) ?? [],
    run: async (opcode, context) => {
      const key = `${context.jobId}.${context.opcodeIndex}`;
      begins(key, opcode.OP_ID);
      if (sabotage.hangs) await new Promise(() => {});
      const { commit, instance_name } = opcode as JsonObject;
      if (typeof instance_name === "string") {
        const now = await config.refresh();
        // A worker declared dead has no locks.
        if (!jobs.isBuried(store.claim)) reservations.begins(opcode as JsonObject, now);
      }
      try {
        return await inner.run(opcode, context);
      } catch (error) {
        if (error instanceof TryAgainError) mayBeginAgain(key);
        else if (sabotage.keepsGiven && commit === true) {
          await keepGiven(config, String(instance_name));
        }
        throw error;
      }
    },
  };
}
