import { consistencyFaults } from "@ganeti-ts/config";
import type { JsonObject } from "@ganeti-ts/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { busyCluster } from "./busy-cluster.js";

const node = fc.constantFrom("node1", "node2", "node3", "node4", "node9.example.com");
const group = fc.constantFrom("default", "group1", "group2", "new", "other");
const network = fc.constantFrom("net1", "net2", "new");
const flag = fc.constantFrom(true, false, undefined);

/** Requests of an administrator, sensible or not. */
const opcode: fc.Arbitrary<JsonObject> = fc
  .oneof(
    fc.record({
      OP_ID: fc.constant("OP_NODE_SET_PARAMS"),
      node_name: node,
      auto_promote: fc.boolean(),
      offline: flag,
      drained: flag,
      master_candidate: flag,
      master_capable: flag,
      vm_capable: flag,
    }),
    fc.record({ OP_ID: fc.constant("OP_NODE_REMOVE"), node_name: node }),
    fc.record({ OP_ID: fc.constant("OP_NODE_RENAME"), node_name: node, new_name: node }),
    fc.record({ OP_ID: fc.constant("OP_NODE_ADD"), node_name: node, group, readd: flag }),
    fc.record({ OP_ID: fc.constant("OP_GROUP_ADD"), group_name: group }),
    fc.record({ OP_ID: fc.constant("OP_GROUP_REMOVE"), group_name: group }),
    fc.record({ OP_ID: fc.constant("OP_GROUP_RENAME"), group_name: group, new_name: group }),
    fc.record({
      OP_ID: fc.constant("OP_GROUP_ASSIGN_NODES"),
      group_name: group,
      nodes: fc.array(node, { minLength: 1, maxLength: 2 }),
      force: fc.boolean(),
    }),
    fc.record({
      OP_ID: fc.constant("OP_NETWORK_ADD"),
      network_name: network,
      network: fc.constantFrom("10.7.0.0/29", "10.1.0.0/28", "10.7.0.0/31"),
    }),
    fc.record({ OP_ID: fc.constant("OP_NETWORK_REMOVE"), network_name: network }),
    fc.record({
      OP_ID: fc.constant("OP_NETWORK_CONNECT"),
      network_name: network,
      group_name: group,
      network_mode: fc.constantFrom("bridged", "routed"),
      network_link: fc.constant("br"),
    }),
    fc.record({
      OP_ID: fc.constant("OP_NETWORK_DISCONNECT"),
      network_name: network,
      group_name: group,
    }),
    fc.record({
      OP_ID: fc.constant("OP_NETWORK_SET_PARAMS"),
      network_name: network,
      gateway: fc.constantFrom("10.1.0.2", "10.1.0.4", "10.7.0.3"),
    }),
    fc.record({
      OP_ID: fc.constant("OP_CLUSTER_SET_PARAMS"),
      candidate_pool_size: fc.integer({ min: 1, max: 6 }),
      nicparams: fc.constantFrom({ mode: "routed" }, { link: "br9" }, undefined),
    }),
  )
  .map((given) =>
    Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  ) as fc.Arbitrary<JsonObject>;

test("the configuration stays consistent after any request, and a refusal changes nothing", async () => {
  const seen = { accepted: new Set<string>(), refused: new Set<string>() };
  await fc.assert(
    fc.asyncProperty(fc.array(opcode, { minLength: 1, maxLength: 8 }), async (opcodes) => {
      const { run, config } = await busyCluster();
      for (const one of opcodes) {
        const { serial } = config.snapshot;
        const { status, log } = await run(one);
        const isAccepted = status === "success";
        (isAccepted ? seen.accepted : seen.refused).add(String(one.OP_ID));
        if (!isAccepted) expect(config.snapshot.serial).toBe(serial);
        // Too few candidates are accepted with a warning.
        const told = log.map((line) =>
          String(line).replace(/^Configuration data is not consistent: /, ""),
        );
        for (const fault of consistencyFaults(config.snapshot)) {
          expect(fault).toMatch(/^Not enough master candidates/);
          if (isAccepted && one.OP_ID === "OP_NODE_SET_PARAMS") expect(told).toContain(fault);
        }
      }
    }),
    { numRuns: 60 },
  );
  expect(seen.accepted.size).toBeGreaterThan(9);
  expect(seen.refused.size).toBeGreaterThan(9);
});
