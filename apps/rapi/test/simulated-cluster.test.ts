// Exercises on simulated nodes: addresses, roles and exports, followed by a verification.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { endOf, run, withInstances } from "./instances.js";
import { aServer, type TestServer } from "./served.js";

const open: TestServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.end();
});

async function opened(...args: string[]): Promise<TestServer> {
  const server = await aServer("--no-ssl", "--groups=1", ...args);
  open.push(server);
  return server;
}

/** The errors that the verification of all groups finds. */
async function findings(server: TestServer): Promise<readonly string[]> {
  const [group] = server.cluster.snapshot().groups();
  const found: string[] = [];
  for (const opcode of [
    { OP_ID: "OP_CLUSTER_VERIFY_CONFIG" },
    { OP_ID: "OP_CLUSTER_VERIFY_GROUP", group_name: group?.name ?? "" },
  ]) {
    const id = await server.world.queue.submit([opcode]);
    await endOf(server, id);
    const log = await server.world.queue.query([id], ["oplog"]);
    found.push(
      ...JSON.stringify(log)
        .split("\\n")
        .filter((line) => line.includes("ERROR")),
    );
  }
  return found;
}

test("a cluster with secondary addresses gets a second node", async () => {
  const folder = mkdtempSync(join(tmpdir(), "settings-"));
  const file = join(folder, "cluster.json");
  const first = { name: "node1.example.com", secondary_ip: "198.51.100.1" };
  writeFileSync(file, JSON.stringify({ nodes: [first] }));
  const server = await opened(`--init-with=${file}`);
  rmSync(folder, { recursive: true });
  const add = { OP_ID: "OP_NODE_ADD", node_name: "node2.example.com" };
  expect(await run(server, { ...add, secondary_ip: "198.51.100.2" })).toEqual(["success", [null]]);
  const modify = { OP_ID: "OP_NODE_SET_PARAMS", node_name: "node2.example.com" };
  expect((await run(server, { ...modify, secondary_ip: "198.51.100.3" }))[0]).toBe("success");
  const ip = "198.51.100.9";
  const nics = [{ ip }];
  await withInstances(server, [{ instance_name: "web.example.com", nics, start: false }]);
  const { cluster } = server.cluster.snapshot();
  for (const taken of ["198.51.100.1", "192.0.2.1", cluster.master_ip, ip]) {
    const [status, result] = await run(server, { ...modify, secondary_ip: taken });
    expect([taken, status, JSON.stringify(result)]).toEqual([
      ...[taken, "error"],
      expect.stringContaining("doesn't have the secondary ip you gave"),
    ]);
  }
});

test("the cluster stays sound after an export to another cluster was prepared", async () => {
  const server = await opened();
  await withInstances(server, [{ instance_name: "web.example.com" }]);
  const prepare = { OP_ID: "OP_BACKUP_PREPARE", instance_name: "web.example.com", mode: "remote" };
  expect((await run(server, prepare))[0]).toBe("success");
  expect(await findings(server)).toEqual([]);
});

test("the cluster stays sound after a candidate was offline and came back", async () => {
  const server = await opened();
  const modify = { OP_ID: "OP_NODE_SET_PARAMS", node_name: "node2.example.com", force: true };
  expect((await run(server, { ...modify, offline: true, auto_promote: true }))[0]).toBe("success");
  expect((await run(server, { ...modify, offline: false }))[0]).toBe("success");
  expect(await findings(server)).toEqual([]);
});
