import type { Json, JsonObject } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import type { TestCluster } from "../support/cluster.js";
import { simulatedCluster } from "../support/simulated.js";
import { busyCluster } from "./busy-cluster.js";

/** Entries of the type `created` in the log of this opcode's job. */
async function reportsOf({ queue }: TestCluster, opcode: JsonObject): Promise<readonly Json[]> {
  const id = await queue.submit([opcode]);
  await queue.idle();
  const [row] = await queue.query([id], ["status", "oplog"]);
  const [status, [log] = []] = row ?? [];
  expect(status).toBe("success");
  return (log ?? []).flatMap(([, , type, text]) => (type === "created" ? [String(text)] : []));
}

test("jobs that create a node, a group or a network report its UUID", async () => {
  const cluster = await busyCluster();
  const report = (opcode: JsonObject) => reportsOf(cluster, opcode);
  const { config } = cluster;
  const node = await report({
    OP_ID: "OP_NODE_ADD",
    node_name: "node9.example.com",
    group: "default",
  });
  const { uuid } = config.snapshot.expectNode("node9");
  expect(node).toEqual([`Created node node9.example.com, UUID ${uuid}`]);
  const group = await report({ OP_ID: "OP_GROUP_ADD", group_name: "g" });
  expect(group).toEqual([`Created group g, UUID ${config.snapshot.expectGroup("g").uuid}`]);
  const network = { OP_ID: "OP_NETWORK_ADD", network_name: "w", network: "10.9.0.0/24" };
  expect(await report({ ...network, dry_run: true })).toEqual([]);
  expect(await report(network)).toEqual([
    `Created network w, UUID ${config.snapshot.expectNetwork("w").uuid}`,
  ]);
});

test("jobs that create an instance or a reservation report its UUID", async () => {
  const cluster = await simulatedCluster();
  const create = { OP_ID: "OP_INSTANCE_CREATE", mode: "create", os_type: "noop+default" };
  const unchecked = { name_check: false, ip_check: false };
  const web = { ...create, instance_name: "web1.example.com", disk_template: "plain" };
  const made = await reportsOf(cluster, {
    ...web,
    ...unchecked,
    disks: [{ size: 1024 }],
    nics: [{}],
    pnode: "node1",
  });
  const { uuid } = cluster.instance("web1.example.com");
  expect(made).toEqual([`Created instance web1.example.com, UUID ${uuid}`]);
  const [unnamed] = await reportsOf(cluster, { OP_ID: "OP_INSTANCE_CREATE", forthcoming: true });
  expect(unnamed).toMatch(/^Created instance without a name, UUID [0-9a-f-]{36}$/);
});
