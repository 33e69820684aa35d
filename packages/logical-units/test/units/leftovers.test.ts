import { droppedClaims } from "@ganeti-ts/config";
import type { DiskObject } from "@ganeti-ts/protocol";
import { type HostState, setEntry } from "@ganeti-ts/simulated-nodes";
import { creationOf } from "@ganeti-ts/testkit/configuration";
import { beforeEach, describe, expect, test } from "vitest";
import { recoverHeld } from "../../src/recovery.js";
import { type SimulatedCluster, simulatedCluster } from "../support/simulated.js";

const creation = (name: string, pnode: string, snode: string) =>
  creationOf(`${name}.example.com`, {
    disk_template: "drbd",
    pnode: `${pnode}.example.com`,
    snode: `${snode}.example.com`,
  });
const node2 = { OP_ID: "OP_NODE_SET_PARAMS", node_name: "node2.example.com", auto_promote: true };
const again = { OP_ID: "OP_NODE_ADD", node_name: "node2.example.com" };
const about = (OP_ID: string, more = {}) => ({ OP_ID, instance_name: "web1.example.com", ...more });
const removal = about("OP_INSTANCE_REMOVE", { shutdown_timeout: 0, ignore_failures: true });
const failover = about("OP_INSTANCE_FAILOVER", { ignore_consistency: true, shutdown_timeout: 0 });

let cluster: SimulatedCluster;
const hostOf = (node: number) =>
  cluster.simulated.stateOf(cluster.nodes[node - 1] ?? "") as HostState;
const minorsUp = (node: number) =>
  Object.entries(hostOf(node).drbd).flatMap(([minor, { up }]) => (up ? [Number(minor)] : []));
const succeed = async (...opcodes: object[]) => {
  for (const opcode of opcodes) {
    const done = await cluster.run(opcode as never);
    expect(done.status, JSON.stringify(done.result)).toBe("success");
  }
};

const recover = () => {
  const { config, simulated: nodes } = cluster;
  const { signal } = new AbortController();
  return recoverHeld({ config, nodes, lease: "", signal }, async () => true);
};

beforeEach(async () => {
  cluster = await simulatedCluster({ nodeCount: 3 });
  await succeed(creation("web1", "node2", "node3"));
});

describe("a node that comes back online", () => {
  // The instance keeps running there without contact to the cluster.
  beforeEach(async () => {
    await succeed({ ...node2, offline: true });
    Object.assign(hostOf(2).drbd[0] ?? {}, { connects: false });
    await succeed(failover);
  });

  test.each([
    { why: "from offline", back: { ...node2, offline: false } },
    {
      why: "as one that is added again",
      back: { ...again, readd: true, primary_ip: "192.0.2.2" },
    },
  ])(
    "$why stops what runs there of an instance that is gone; then recovery removes its volumes",
    async ({ back }) => {
      await succeed(removal);
      expect([cluster.runningOn(2), minorsUp(2)]).toEqual([["web1.example.com"], [0]]);
      const volumes = cluster.volumesOn(2);
      expect(volumes).toHaveLength(2);
      const { status, log } = await cluster.run(back as never);
      expect(status).toBe("success");
      expect(log).toEqual(
        expect.arrayContaining([
          " - WARNING: Stopping instance web1.example.com, which should not run on node node2.example.com",
          " - WARNING: Shutting down drbd minor 0 on node node2.example.com, a leftover of another disk",
        ]),
      );
      expect([cluster.runningOn(2), minorsUp(2)]).toEqual([[], []]);
      expect(cluster.volumesOn(2)).toEqual(volumes);
      await recover();
      expect(cluster.volumesOn(2)).toEqual([]);
      expect([...cluster.config.snapshot.claims()]).toEqual([]);
      await succeed(creation("web2", "node2", "node3"));
    },
  );

  test("a returning node keeps unknown instances that use nothing of the cluster", async () => {
    const { instances } = hostOf(2);
    const [web] = Object.values(instances);
    const own = { ...web, devices: [] } as HostState["instances"][string];
    setEntry(instances, "own.example.net", own);
    await succeed(removal);
    expect((await cluster.run({ ...node2, offline: false } as never)).log).toContain(
      " - WARNING: Instance own.example.net runs on node node2.example.com but is unknown to the cluster",
    );
    expect(cluster.runningOn(2)).toEqual(["own.example.net"]);
  });

  test("a returning node stops an instance that also runs on its new primary, and keeps its mirror", async () => {
    await succeed({ ...node2, offline: false });
    expect([cluster.runningOn(2), cluster.runningOn(3)]).toEqual([[], ["web1.example.com"]]);
    expect(minorsUp(2)).toEqual([0]);
  });

  test("a returning node keeps instances that run nowhere else, and everything configured there", async () => {
    await succeed(about("OP_INSTANCE_SHUTDOWN", { timeout: 0 }));
    expect((await cluster.run({ ...node2, offline: false } as never)).log).toEqual(
      expect.arrayContaining([
        " - WARNING: Instance web1.example.com runs on node node2.example.com and not on its primary",
        "      Hint: Please run 'gnt-instance migrate --cleanup web1.example.com'",
      ]),
    );
    expect(cluster.runningOn(2)).toEqual(["web1.example.com"]);
  });
});

describe("an old mirror on the minor of a new disk", () => {
  const removeWithout = async (
    node: number,
    ...calls: ("instance_shutdown" | "blockdev_remove")[]
  ) => {
    const uuid = cluster.nodes[node - 1] ?? "";
    const repairs = calls.map((call) =>
      cluster.simulated.fail({ kind: "refused", node: uuid, call, times: 9 }),
    );
    await succeed(removal);
    for (const repair of repairs) repair();
    // As removed by an earlier version, which claimed nothing.
    const { snapshot } = cluster.config;
    const claims = [...snapshot.claims()].map(({ uuid }) => uuid);
    await cluster.put(...droppedClaims(snapshot, claims));
  };

  test("an old mirror on a needed minor is brought down if no disk uses its volumes", async () => {
    await removeWithout(3, "blockdev_remove");
    expect([minorsUp(2), minorsUp(3)]).toEqual([[], [0]]);
    await succeed(creation("web2", "node2", "node3"));
    expect([minorsUp(2), minorsUp(3)]).toEqual([[0], [0]]);
    expect(cluster.volumesOn(3)).toHaveLength(4);
  });

  test("an old mirror in use stays, and the new disk cannot be made", async () => {
    await removeWithout(2, "instance_shutdown", "blockdev_remove");
    const { status, log } = await cluster.run(creation("web2", "node2", "node3") as never);
    expect(status).toBe("error");
    expect(log.join("\n")).toContain("Device is held open by someone");
    expect([cluster.runningOn(2), minorsUp(2)]).toEqual([["web1.example.com"], [0]]);
  });

  test("a mirror of an existing instance stays, even under a wrong minor", async () => {
    const { drbd } = hostOf(3);
    setEntry(drbd, "1", drbd[0]);
    setEntry(drbd, "0", undefined);
    expect((await cluster.run(creation("web2", "node2", "node3") as never)).result).toEqual([
      "OpExecError",
      [expect.stringContaining("drbd1: minor is already in use at Create() time")],
    ]);
    expect(minorsUp(3)).toEqual([1]);
  });
});

test("a failed creation leaves only its devices on a node that does not answer: its name is free at once, and recovery removes them", async () => {
  const { simulated, nodes } = cluster;
  const node = nodes[2] ?? "";
  const back = (["blockdev_create", "blockdev_remove"] as const).map((call, at) =>
    // The second volume is the first call that gets no answer.
    simulated.fail({ kind: "refused", node, call, ...(at === 0 && { after: 1 }) }),
  );
  const before = cluster.volumesOn(3);
  const name = "db.example.com";
  const failed = await cluster.run(creation("db", "node2", "node3") as never);
  expect(failed.status).toBe("error");
  const left = cluster.volumesOn(3).filter((volume) => !before.includes(volume));
  expect(left).toHaveLength(1);
  const [claim] = cluster.config.snapshot.claims();
  if (claim?.kind !== "creation") throw new Error("the creation holds its devices");
  expect([claim.instance.name, claim.instance.nics]).toEqual([undefined, []]);
  const portsOf = (disks: readonly DiskObject[]) => disks.map(({ logical_id }) => logical_id?.[2]);
  const claimedPorts = portsOf(claim.disks);
  expect(claimedPorts).toEqual([expect.any(Number)]);
  await succeed(creation("db", "node2", "node1"));
  // A mirror that is left may still listen there.
  const { snapshot } = cluster.config;
  expect(portsOf(snapshot.disksOf(snapshot.expectInstance(name)))).not.toEqual(claimedPorts);
  await recover();
  expect(cluster.volumesOn(3)).toEqual([...before, ...left]);
  for (const end of back) end();
  await recover();
  expect(cluster.volumesOn(3)).toEqual(before);
  expect([...cluster.config.snapshot.claims()]).toEqual([]);
  expect(cluster.config.snapshot.findInstance(name)).toMatchObject({ admin_state: "up" });
  await succeed({ OP_ID: "OP_INSTANCE_REMOVE", instance_name: name, shutdown_timeout: 0 });
  expect(cluster.volumesOn(2)).toHaveLength(2);
});
