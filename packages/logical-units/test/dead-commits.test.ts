// Reservations whose server dies at any effect while it makes them real, and one of whose nodes is offline at the recovery.
import { consistencyFaults } from "@ganeti-ts/config";
import type { JsonObject } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { faultsAtRest } from "./support/invariants.js";
import { deaths, type Life, reached, recoverAll, setOffline } from "./support/next-server.js";

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
    await recover();
    expect(consistencyFaults(config.snapshot), where).toEqual([]);
    const after = config.snapshot.disksOf(instance());
    expect(after.map(({ uuid, size }) => [uuid, size])).toEqual(
      before.map(({ uuid, size }) => [uuid, size]),
    );
    const hasNewNames = JSON.stringify(after) !== JSON.stringify(before);
    expect(config.snapshot.heldInstances().length, where).toBe(hasNewNames ? 1 : 0);
    if (hasNewNames) count++;
    await setOffline(next, "node2.example.com", false);
    await recover();
    expect(faultsAtRest(config.snapshot, simulated), where).toEqual([]);
    if (instance().forthcoming) {
      expect(await next.run(commit), where).toMatchObject({ status: "success" });
    }
  }
  expect(count).toBeGreaterThan(3);
});
