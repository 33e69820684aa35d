// Test cluster with a real queue, on memory stores and a clock that can be driven.

import { Allocators, NodeFigures } from "@ganeti-ts/allocators";
import {
  type ConfigChange,
  type ConfigStore,
  type Configuration,
  Configuration as Configurations,
  createConfiguration,
  createMemoryStore,
  initialConfiguration,
} from "@ganeti-ts/config";
import { JobQueue, MemoryDatabase } from "@ganeti-ts/job-queue";
import { createLockManager } from "@ganeti-ts/locking";
import {
  answered,
  failed,
  type MasterHost,
  type NodeBackend,
  type Resolver,
  sparingOfflineNodes,
} from "@ganeti-ts/node-calls";
import type { Clock, InstanceObject, Json, JsonObject, NodeObject } from "@ganeti-ts/protocol";
import { StoppableClock } from "@ganeti-ts/testkit";
import { Dice } from "@ganeti-ts/testkit/simulation";
import { createExecutor } from "../../src/executor.js";

/** Resolves every name to itself, and no address answers. */
const resolver: Resolver = {
  resolve: async (name) =>
    name.startsWith("unresolved")
      ? { ok: false, code: -2, reason: "Name or service not known" }
      : { ok: true, name, ip: "192.0.2.9" },
  isAlive: async () => false,
};

/** Settings of a cluster that sets aside for its nodes what they report, and no fixed figure: for small ones. */
export const reportedNodeMemory = { default_iallocator_params: { "static-kvm-node-memory": "0" } };

export interface ClusterOptions {
  readonly nodeCount?: number;
  /** By default node1.example.com, … */
  readonly nodeNames?: readonly string[];
  /** Prefix of their addresses, by default 192.0.2. */
  readonly subnet?: string;
  readonly clock?: Clock;
  readonly node?: Partial<NodeObject>;
  /** A store that may already contain a configuration. */
  readonly store?: ConfigStore;
  /** Seed of all randomness. */
  readonly seed?: number;
  /** Maximum age of the figures that allocators keep (ms); by default they keep none. */
  readonly figuresAgeMs?: number;
  readonly cluster?: Parameters<typeof initialConfiguration>[0]["cluster"];
  /** Further initial settings of the cluster. */
  readonly initial?: Partial<Parameters<typeof initialConfiguration>[0]>;
}

export interface TestCluster {
  readonly config: Configuration;
  readonly queue: JobQueue;
  /** UUIDs of node1, node2, … */
  readonly nodes: readonly NodeObject["uuid"][];
  put(...changes: readonly ConfigChange[]): Promise<void>;
  /**
   * Runs one opcode as a job of its own; returns its status, its result and the texts of its log.
   */
  run(opcode: JsonObject): Promise<Ran>;
  instance(name: string): InstanceObject;
  /** The server is no more: none of its timers goes off, and it sets no further ones. Without it the end of the file does that. */
  die(): void;
}

export interface Ran {
  readonly status: string;
  readonly result: Json;
  readonly log: readonly Json[];
}

/** Nodes, and the server's machine if they include one, as simulated nodes do. */
export interface TestNodes extends NodeBackend {
  masterHost?(master: () => string): MasterHost;
}

/** A machine without files that supports no action. */
const emptyHost: MasterHost = {
  readFiles: async () => answered({}),
  domainSecret: async () => failed("no secret"),
  certificateFault: async () => failed("no certificates"),
  renewNodeCertificate: async () => failed("no certificates"),
  secondCertificate: {
    make: async () => failed("no certificates"),
    tryOn: async () => failed("no certificates"),
    use: async () => failed("no certificates"),
    remove: async () => failed("no certificates"),
  },
  runOnNode: async () => failed("no ssh"),
  copyToNode: async () => failed("no ssh"),
};

export async function testCluster(
  backend: TestNodes,
  {
    nodeCount = 2,
    clock: given,
    node = {},
    cluster = {},
    initial = {},
    ...more
  }: ClusterOptions = {},
): Promise<TestCluster> {
  const clock = new StoppableClock(given);
  const random = new Dice(more.seed ?? 1);
  const { store = createMemoryStore() } = more;
  const { subnet = "192.0.2" } = more;
  const names =
    more.nodeNames ?? Array.from({ length: nodeCount }, (_, at) => `node${at + 1}.example.com`);
  if ((await store.load()).serial === 0) {
    const content = initialConfiguration({
      clusterName: "cluster.example.com",
      nodes: names.map((name, at) => ({ name, primary_ip: `${subnet}.${at + 1}`, ...node })),
      cluster,
      random,
      now: 1_700_000_000,
      ...initial,
    });
    await createConfiguration(store, content);
  }
  const config = await Configurations.open(store, { clock, random });
  const nodes = sparingOfflineNodes(
    backend,
    (uuid) => config.snapshot.node(uuid as NodeObject["uuid"])?.offline === true,
  );
  for (const { uuid, name, primary_ip, secondary_ip } of config.snapshot.nodes()) {
    await nodes.introduce({ uuid, name, primaryIp: primary_ip, secondaryIp: secondary_ip });
  }
  const { figuresAgeMs: ageMaxMs } = more;
  const kept =
    ageMaxMs === undefined
      ? {}
      : { figures: new NodeFigures({ nodes, clock, random }, { ageMaxMs }) };
  const allocators = new Allocators({ nodes, ...kept });
  const masterHost = backend.masterHost?.(() => config.snapshot.cluster.master_node) ?? emptyHost;
  const ports = { config, nodes, masterHost, allocators, resolver, clock, random };
  const queue = await JobQueue.open({
    store: new MemoryDatabase(clock).connect(clock),
    locks: createLockManager({ clock }),
    clock,
    random,
    executor: createExecutor(ports),
  });
  return {
    config,
    queue,
    nodes: names.map((name) => config.snapshot.expectNode(name).uuid),
    async put(...changes) {
      await config.change(() => ({ changes, value: undefined }));
    },
    async run(opcode) {
      const id = await queue.submit([opcode]);
      await queue.idle();
      const [row] = await queue.query([id], ["status", "opresult", "oplog"]);
      const [status = "lost", [result] = [], [log] = []] = row ?? [];
      // UUIDs of new objects are tested separately.
      const entries = (log ?? []).filter(([, , type]) => type !== "created");
      return { status, result: result ?? null, log: entries.map(([, , , text]) => text) };
    },
    instance: (name) => config.snapshot.expectInstance(name),
    die: () => clock.stop(),
  };
}
