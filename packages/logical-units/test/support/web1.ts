// Cluster of three simulated nodes with one instance made by a creation job: web1 on node1, with
// node2 as its secondary if mirrored.
import { consistencyFaults, defaultPolicy } from "@ganeti-ts/config";
import type { JsonObject, NodeObject, RealInstance } from "@ganeti-ts/protocol";
import { creationOf } from "@ganeti-ts/testkit/configuration";
import { expect } from "vitest";
import { recoverHeld } from "../../src/index.js";
import type { Ran } from "./cluster.js";
import { type SimulatedCluster, simulatedCluster } from "./simulated.js";

export interface StagedCluster extends SimulatedCluster {
  web1(): RealInstance;
  /** Runs an opcode on web1. */
  on(opId: string, more?: JsonObject): Promise<Ran>;
  /** Changes a node's entry. */
  node(number: number, changes: Partial<NodeObject>): Promise<void>;
  /** Names of the nodes that web1 is on, primary first. */
  placesOf(): readonly string[];
  /** Expects that nothing is held any more and that the configuration is consistent. */
  expectTidy(): void;
  /** Recovery of ended jobs, as a server runs it periodically. */
  recover(): Promise<void>;
}

type Options = Parameters<typeof simulatedCluster>[0];

export async function staged(
  instance: JsonObject = {},
  { cluster: settings, ...options }: NonNullable<Options> = {},
): Promise<StagedCluster> {
  const templates = ["drbd", "plain", "sharedfile", "file", "diskless"] as const;
  const cluster = await simulatedCluster({
    nodeCount: 3,
    ...options,
    cluster: {
      enabled_disk_templates: [...templates],
      file_storage_dir: "/srv/files",
      shared_file_storage_dir: "/srv/shared",
      ipolicy: defaultPolicy(templates),
      ...settings,
    },
  });
  const { config, run, put, nodes } = cluster;
  const mirrored = { disk_template: "drbd", snode: "node2.example.com" };
  const made = await run(
    creationOf("web1.example.com", {
      pnode: "node1.example.com",
      beparams: { minmem: 256, maxmem: 512 },
      ...(instance.disk_template === undefined ? mirrored : {}),
      ...instance,
    }),
  );
  if (made.status !== "success") throw new Error(JSON.stringify(made));
  const web1 = () => config.snapshot.expectInstance("web1") as RealInstance;
  return {
    ...cluster,
    web1,
    on: (opId, more = {}) => run({ OP_ID: opId, instance_name: "web1.example.com", ...more }),
    async node(number, changes) {
      const object = config.snapshot.node(nodes[number - 1] as NodeObject["uuid"]);
      if (object === undefined) throw new Error(`no node ${number}`);
      await put({ kind: "put", type: "node", object: { ...object, ...changes } });
    },
    placesOf() {
      const now = config.snapshot;
      const { primary_node: primary } = web1();
      const others = now.disksOf(web1()).flatMap((disk) => disk.nodes);
      return [...new Set([primary, ...others])].map((uuid) => now.node(uuid)?.name ?? uuid);
    },
    async recover() {
      const { signal } = new AbortController();
      await recoverHeld({ config, nodes: cluster.simulated, lease: "", signal }, async () => true);
    },
    expectTidy() {
      expect([...config.snapshot.claims()]).toEqual([]);
      expect(consistencyFaults(config.snapshot)).toEqual([]);
    },
  };
}
