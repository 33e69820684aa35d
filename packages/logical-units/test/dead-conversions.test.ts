// Conversions to mirrors whose server dies at any effect: what becomes of the volumes with the data if the disk is removed
// before recovery, or during it.
import { createMemoryStore } from "@ganeti-ts/config";
import { type NodeBackend, sparingOfflineNodes } from "@ganeti-ts/node-calls";
import type { JsonObject, NodeUuid } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { Fuse } from "./support/fuse.js";
import { faultsAtRest } from "./support/invariants.js";
import { lostData } from "./support/lost-data.js";
import { aMinuteLater, recoverAll } from "./support/next-server.js";
import { type SimulatedCluster, simulatedCluster, simulatedNodes } from "./support/simulated.js";

const about = (OP_ID: string, more: JsonObject = {}): JsonObject => ({
  OP_ID,
  instance_name: "web1.example.com",
  ...more,
});
const create = about("OP_INSTANCE_CREATE", {
  mode: "create",
  os_type: "noop+default",
  disk_template: "plain",
  disks: [{ size: 1024 }],
  nics: [{}],
  hypervisor: "kvm",
  pnode: "node2.example.com",
  start: false,
});
const removals = {
  "the instance": about("OP_INSTANCE_REMOVE", { ignore_failures: true }),
  "the disk": about("OP_INSTANCE_SET_PARAMS", { disks: [["remove", 0, {}]] }),
};

/** The nodes as a server calls them: those that are offline are not called. */
const reached = ({ config, simulated }: SimulatedCluster): NodeBackend =>
  sparingOfflineNodes(
    simulated,
    (uuid) => config.snapshot.node(uuid as NodeUuid)?.offline === true,
  );

const recover = ({ config }: SimulatedCluster, nodes: NodeBackend) => recoverAll(config, nodes);

/** The cluster after the death of its server at an effect of a conversion; undefined if it has no such effect. */
async function afterDeath(
  at: number,
  when: "before" | "after",
): Promise<SimulatedCluster | undefined> {
  const store = createMemoryStore();
  const simulated = await simulatedNodes({}, { nodeCount: 2 });
  const first = await simulatedCluster({ simulated, store });
  expect(await first.run(create)).toMatchObject({ status: "success" });
  const fuse = new Fuse(at, when);
  const between = (nodes: NodeBackend) => fuse.nodes(nodes);
  const doomed = await simulatedCluster({ simulated, seed: 2, store: fuse.store(store), between });
  const more = { disk_template: "drbd", remote_node: "node1.example.com" };
  const conversion = doomed.run(about("OP_INSTANCE_SET_PARAMS", more));
  const isDead = await Promise.race([fuse.over.then(() => true), conversion.then(() => false)]);
  if (!isDead) return undefined;
  return simulatedCluster({ simulated, seed: 3, store, clock: aMinuteLater });
}

/** Clusters after deaths at all effects. */
async function* deaths(): AsyncIterable<readonly [SimulatedCluster, string]> {
  for (const when of ["before", "after"] as const) {
    for (let at = 1; ; at++) {
      const next = await afterDeath(at, when);
      if (next === undefined) break;
      yield [next, `${when} effect ${at}`];
    }
  }
}

const faults = ({ config, simulated }: SimulatedCluster) => [
  ...faultsAtRest(config.snapshot, simulated),
  ...lostData(config.snapshot, simulated),
];

test.each(Object.entries(removals))(
  "no volume is left if %s is removed before recovery",
  async (_, removal) => {
    let count = 0;
    for await (const [next, where] of deaths()) {
      expect((await next.run(removal)).status, where).toBe("success");
      await recover(next, next.simulated);
      expect(faults(next), where).toEqual([]);
      count++;
    }
    expect(count).toBeGreaterThan(10);
  },
);

test.each(Object.entries(removals))(
  "no volume is left if %s is removed while recovery gives it its name back",
  async (_, removal) => {
    let count = 0;
    for await (const [next, where] of deaths()) {
      let removed: string | undefined;
      const { simulated } = next;
      const nodes: NodeBackend = {
        introduce: (node) => simulated.introduce(node),
        call: async (node, name, args, caller) => {
          if (name === "blockdev_rename" && removed === undefined) {
            removed = (await next.run(removal)).status;
          }
          return simulated.call(node, name, args, caller);
        },
      };
      await recover(next, nodes);
      await recover(next, simulated);
      expect(faults(next), where).toEqual([]);
      if (removed === undefined) continue;
      expect(removed, where).toBe("success");
      count++;
    }
    expect(count).toBeGreaterThan(4);
  },
);

test.each(Object.entries(removals))(
  "%s is removed in part if its volume cannot get its name back, and the rest later",
  async (_, removal) => {
    let count = 0;
    for await (const [next, where] of deaths()) {
      const { simulated, nodes } = next;
      const [, node = ""] = nodes;
      const repair = simulated.fail({ kind: "refused", call: "blockdev_rename", node });
      const { status, log } = await next.run(removal);
      expect(status, where).toBe("success");
      if (JSON.stringify(log).includes("a conversion that was not finished")) count++;
      await recover(next, simulated);
      repair();
      await recover(next, simulated);
      expect(faults(next), where).toEqual([]);
    }
    expect(count).toBeGreaterThan(0);
  },
);

test("volumes on a node that is offline at the recovery get their names back when it returns", async () => {
  let count = 0;
  for await (const [next, where] of deaths()) {
    const setOffline = async (offline: boolean) => {
      const op = { OP_ID: "OP_NODE_SET_PARAMS", node_name: "node2.example.com", offline };
      expect(await next.run(op), where).toMatchObject({ status: "success" });
    };
    await setOffline(true);
    await recover(next, reached(next));
    if (next.config.snapshot.heldInstances().length > 0) count++;
    await setOffline(false);
    await recover(next, reached(next));
    expect(faults(next), where).toEqual([]);
  }
  expect(count).toBeGreaterThan(4);
});
