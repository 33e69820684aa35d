// Reservations whose server dies at any effect while it makes them real, and one of whose nodes is offline at the recovery.

import { consistencyFaults } from "@ganeti-ts/config";
import type { JsonObject } from "@ganeti-ts/protocol";
import { setEntry } from "@ganeti-ts/simulated-nodes";
import { faultsAtRest, lostSystems } from "@ganeti-ts/simulated-nodes/at-rest";
import { expect, test } from "vitest";
import { deaths, type Life, reached, recoverAll, setOffline } from "./support/next-server.js";
import type { SimulatedCluster } from "./support/simulated.js";

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

const making: Life = {
  async before(first) {
    expect(await first.run(reservation)).toMatchObject({ status: "success" });
  },
  opcode: commit,
};

test("volumes that remain on an offline node are removed under names that the reservation gives up", async () => {
  let count = 0;
  for await (const [next, where] of deaths(making, ["after"])) {
    const { config, simulated } = next;
    const recover = () => recoverAll(config, reached(next));
    const instance = () => config.snapshot.expectInstance("web1.example.com");
    const before = config.snapshot.disksOf(instance());
    await setOffline(next, "node2.example.com", true);
    // As two servers that have found the dead one.
    await Promise.all([recover(), recover()]);
    expect(consistencyFaults(config.snapshot), where).toEqual([]);
    const after = config.snapshot.disksOf(instance());
    expect(after.map(({ uuid, size }) => [uuid, size])).toEqual(
      before.map(({ uuid, size }) => [uuid, size]),
    );
    const hasNewNames = JSON.stringify(after) !== JSON.stringify(before);
    expect(config.snapshot.count("claim"), where).toBe(hasNewNames ? 1 : 0);
    if (hasNewNames) count++;
    const { serial } = config.snapshot;
    await recover();
    expect(config.snapshot.serial, `${where}: as long as the node is offline`).toBe(serial);
    await setOffline(next, "node2.example.com", false);
    await recover();
    expect(faultsAtRest(config.snapshot, simulated), where).toEqual([]);
    if (instance().forthcoming) {
      expect(await next.run(commit), where).toMatchObject({ status: "success" });
    }
  }
  expect(count).toBeGreaterThan(3);
});

/** Values other than those of the reservation. */
const overriding: JsonObject = {
  ...commit,
  disks: [{ size: 2048 }, { size: 1024 }],
  beparams: { minmem: 256, maxmem: 1024 },
};
const web1 = ({ config }: SimulatedCluster) => config.snapshot.expectInstance("web1.example.com");

/** The reservation without names of devices, serial numbers and times. */
const shapeOf = (cluster: SimulatedCluster) => {
  const { name, uuid, beparams, nics, os, tags } = web1(cluster);
  const disks = cluster.config.snapshot.disksOf(web1(cluster));
  return { name, uuid, beparams, nics, os, tags, disks: disks.map((one) => [one.uuid, one.size]) };
};

test.each([
  ["its own values", commit],
  ["other values", overriding],
])(
  "a dead server leaves a reservation that it was making real with %s as it was, or a running instance",
  async (_, opcode) => {
    const seen = { returned: 0, refused: 0, running: 0 };
    let reserved: ReturnType<typeof shapeOf> | undefined;
    const life: Life = {
      async before(first) {
        await making.before(first);
        reserved = shapeOf(first);
      },
      opcode,
    };
    for await (const [next, where] of deaths(life)) {
      const { config, simulated } = next;
      const hadBecome = !web1(next).forthcoming;
      const start = { OP_ID: "OP_INSTANCE_STARTUP", instance_name: "web1" };
      if (hadBecome && config.snapshot.count("claim") > 0) {
        // Each server of these tests counts its jobs from 1: this one has the number of the dead one's job.
        await next.run({ OP_ID: "OP_CLUSTER_QUERY" });
        const { result } = await next.run(start);
        expect(JSON.stringify(result), where).toMatch(/Leftovers of job \d+ of instance web1/);
        seen.refused++;
      }
      await recoverAll(config, simulated);
      expect(faultsAtRest(config.snapshot, simulated), where).toEqual([]);
      if (web1(next).forthcoming) {
        if (hadBecome) seen.returned++;
        expect(shapeOf(next), where).toEqual(reserved);
        expect(await next.run(opcode), where).toMatchObject({ status: "success" });
      } else seen.running++;
      expect(next.runningOn(1), where).toEqual(["web1.example.com"]);
      expect(web1(next).admin_state, where).toBe("up");
      expect(lostSystems(config.snapshot, simulated), where).toEqual([]);
    }
    for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(0);
  },
);

test("an instance that runs for its installation alone is stopped, and is the reservation again that it was", async () => {
  let count = 0;
  for await (const [next, where] of deaths(making, ["after"])) {
    const { config, simulated } = next;
    const { forthcoming, admin_state } = web1(next);
    if (forthcoming || admin_state === "up" || config.snapshot.count("claim") === 0) continue;
    count++;
    const { instances = {} } = simulated.stateOf(next.nodes[0] ?? "") ?? {};
    const running = { hypervisor: "kvm", memoryMib: 128, vcpus: 1, state: "running" } as const;
    setEntry(instances, "web1.example.com", { ...running, startedMicros: 0 });
    await recoverAll(config, simulated);
    expect(web1(next).forthcoming, where).toBe(true);
    expect(next.runningOn(1), where).toEqual([]);
    expect(faultsAtRest(config.snapshot, simulated), where).toEqual([]);
  }
  expect(count).toBeGreaterThan(0);
});
