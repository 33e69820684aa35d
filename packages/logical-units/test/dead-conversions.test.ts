// Conversions to mirrors whose server dies at any effect: what becomes of the volumes with the data if the disk is removed
// before recovery, or during it.

import type { NodeBackend } from "@ganeti-ts/node-calls";
import { faultsAtRest, lostData } from "@ganeti-ts/simulated-nodes/at-rest";
import { expect, test } from "vitest";
import { deaths, type Life, reached, recoverAll, setOffline } from "./support/next-server.js";
import { about, create } from "./support/opcodes.js";
import type { SimulatedCluster } from "./support/simulated.js";

const removals = {
  "the instance": about("OP_INSTANCE_REMOVE", { ignore_failures: true }),
  "the disk": about("OP_INSTANCE_SET_PARAMS", { disks: [["remove", 0, {}]] }),
};

const recover = ({ config }: SimulatedCluster, nodes: NodeBackend) => recoverAll(config, nodes);

const conversion: Life = {
  async before(first) {
    expect(await first.run(create({ pnode: "node2.example.com", start: false }))).toMatchObject({
      status: "success",
    });
  },
  opcode: about("OP_INSTANCE_SET_PARAMS", {
    disk_template: "drbd",
    remote_node: "node1.example.com",
  }),
};

const faults = ({ config, simulated }: SimulatedCluster) => [
  ...faultsAtRest(config.snapshot, simulated),
  ...lostData(config.snapshot, simulated),
];

test.each(Object.entries(removals))(
  "no volume is left if %s is removed before recovery",
  async (_, removal) => {
    let count = 0;
    for await (const [next, where] of deaths(conversion)) {
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
    for await (const [next, where] of deaths(conversion)) {
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
    for await (const [next, where] of deaths(conversion)) {
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
  for await (const [next, where] of deaths(conversion)) {
    await setOffline(next, "node2.example.com", true);
    await recover(next, reached(next));
    if (next.config.snapshot.count("claim") > 0) count++;
    await setOffline(next, "node2.example.com", false);
    await recover(next, reached(next));
    expect(faults(next), where).toEqual([]);
  }
  expect(count).toBeGreaterThan(4);
});
