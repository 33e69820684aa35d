// Reservations whose server dies at any effect while it makes them real, and one of whose nodes is offline at the recovery.
import { consistencyFaults, createMemoryStore } from "@ganeti-ts/config";
import { type NodeBackend, sparingOfflineNodes } from "@ganeti-ts/node-calls";
import type { JsonObject, NodeUuid } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { Fuse } from "./support/fuse.js";
import { faultsAtRest } from "./support/invariants.js";
import { aMinuteLater, recoverAll } from "./support/next-server.js";
import { type SimulatedCluster, simulatedCluster, simulatedNodes } from "./support/simulated.js";

const create = {
  OP_ID: "OP_INSTANCE_CREATE",
  instance_name: "web1.example.com",
  mode: "create",
  os_type: "noop+default",
  hypervisor: "kvm",
};
const reservation: JsonObject = {
  ...create,
  forthcoming: true,
  disk_template: "drbd",
  disks: [{ size: 1024 }],
  nics: [{}],
  pnode: "node1.example.com",
  snode: "node2.example.com",
};
const commit: JsonObject = { ...create, instance_name: "web1", commit: true };

/** The cluster after the death of its server at an effect of a commit; undefined if it has no such effect. */
async function afterDeath(at: number): Promise<SimulatedCluster | undefined> {
  const store = createMemoryStore();
  const simulated = await simulatedNodes({}, { nodeCount: 2 });
  const first = await simulatedCluster({ simulated, store });
  expect(await first.run(reservation)).toMatchObject({ status: "success" });
  const fuse = new Fuse(at, "after");
  const between = (nodes: NodeBackend) => fuse.nodes(nodes);
  const doomed = await simulatedCluster({ simulated, seed: 2, store: fuse.store(store), between });
  const ran = doomed.run(commit).then(() => false);
  const isDead = await Promise.race([fuse.over.then(() => true), ran]);
  return isDead ? simulatedCluster({ simulated, seed: 3, store, clock: aMinuteLater }) : undefined;
}

test("volumes that remain on an offline node are removed under names that the reservation gives up", async () => {
  let count = 0;
  for (let at = 1; ; at++) {
    const next = await afterDeath(at);
    if (next === undefined) break;
    const { config, simulated } = next;
    const recover = () => {
      const isOffline = (uuid: string) => config.snapshot.node(uuid as NodeUuid)?.offline === true;
      return recoverAll(config, sparingOfflineNodes(simulated, isOffline));
    };
    const setOffline = async (offline: boolean) => {
      const op = { OP_ID: "OP_NODE_SET_PARAMS", node_name: "node2.example.com", offline };
      expect(await next.run(op)).toMatchObject({ status: "success" });
    };
    const where = `effect ${at}`;
    const instance = () => config.snapshot.expectInstance("web1.example.com");
    const before = config.snapshot.disksOf(instance());
    await setOffline(true);
    await recover();
    expect(consistencyFaults(config.snapshot), where).toEqual([]);
    const after = config.snapshot.disksOf(instance());
    expect(after.map(({ uuid, size }) => [uuid, size])).toEqual(
      before.map(({ uuid, size }) => [uuid, size]),
    );
    const hasNewNames = JSON.stringify(after) !== JSON.stringify(before);
    expect(config.snapshot.heldInstances().length, where).toBe(hasNewNames ? 1 : 0);
    if (hasNewNames) count++;
    await setOffline(false);
    await recover();
    expect(faultsAtRest(config.snapshot, simulated), where).toEqual([]);
    if (instance().forthcoming) {
      expect(await next.run(commit), where).toMatchObject({ status: "success" });
    }
  }
  expect(count).toBeGreaterThan(3);
});
