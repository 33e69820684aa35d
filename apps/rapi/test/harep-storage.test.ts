// harep --storage on our server: finds failing physical volumes, closes or removes them, and gives instances new copies.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { diskTemplate, secondaryNodes } from "@ganeti-ts/config";
import type { JobId, JsonObject } from "@ganeti-ts/protocol";
import { afterEach, describe, expect, test } from "vitest";
import { done, endOf, withInstances } from "./instances.js";
import { aServer, type TestServer } from "./served.js";

const harep = join(import.meta.dirname, "../../hail/dist/harep.js");
const problem = existsSync(harep) ? undefined : "apps/hail is not built";
if (problem !== undefined) console.warn(`SKIPPED: harep --storage: ${problem}`);

const [node1, node2, node3] = ["node1", "node2", "node3"].map((name) => `${name}.example.com`) as [
  string,
  string,
  string,
];
const web = "web.example.com";
const drbd = { instance_name: web, pnode: node1, snode: node2, iallocator: null };

describe.skipIf(problem !== undefined)("harep --storage on our server", () => {
  let server: TestServer;
  afterEach(() => server.end());

  async function staged(instances: readonly JsonObject[], policy = "failover"): Promise<void> {
    server = await aServer("--nodes=3", "--groups=1", "--watcher=off");
    await withInstances(server, instances);
    const tags = [`ganeti:watcher:autorepair:${policy}`];
    await done(server, { OP_ID: "OP_TAGS_SET", kind: "cluster", tags });
  }

  const repair = async (...more: string[]): Promise<string> => {
    const args = [harep, `-L${server.luxi.path}`, "--job-delay=0", "--storage", ...more];
    return (await promisify(execFile)(process.execPath, args)).stdout;
  };

  /** Runs harep until a run finds all instances healthy; gives the outputs. */
  async function repairAll(): Promise<readonly string[]> {
    const outputs: string[] = [];
    do {
      for (const [id] of await jobs(["id"])) await endOf(server, id as JobId);
      outputs.push(await repair());
    } while (outputs.length < 20 && /Pending/.test(outputs.at(-1) ?? ""));
    return outputs;
  }

  const jobs = async (fields: readonly string[]) =>
    (await server.world.queue.query([], fields)).map((row) => row ?? []);

  const instance = () => server.cluster.snapshot().expectInstance(web);
  const places = () => {
    const now = server.cluster.snapshot();
    return [instance().primary_node, ...secondaryNodes(now, instance())].map(
      (uuid) => now.node(uuid as never)?.name,
    );
  };
  const statuses = async () => {
    const data = await done(server, { OP_ID: "OP_INSTANCE_QUERY_DATA", instances: [web] });
    return (data as Record<string, { disk_status: unknown }>)[web]?.disk_status;
  };

  test("a mirror on a failed device gets another secondary after the group has been repaired, with the reason in the trail", async () => {
    await staged([drbd]);
    expect(await repair()).toContain("Healthy: 1");
    await breakDevices(node2, 1);
    expect(await statuses()).toEqual([
      [0, node1, "primary", "ok"],
      [0, node2, "secondary", "faulty"],
    ]);
    const [first = "", ...others] = await repairAll();
    expect(first).toContain(
      `Storage: ${node2} misses 1 physical volume: volume group xenvg is made consistent, without what is lost\nDone\n` +
        `Reason: ${web} has lost its copy of disk 0 on its secondary ${node2}, which has no room left: it gets another secondary\n` +
        `Executing ArFixStorage repair on ${web}\n`,
    );
    expect(others.at(-1)).toContain("Healthy: 1");
    expect(places()).toEqual([node1, node3]);
    expect(await statuses()).toEqual([
      [0, node1, "primary", "ok"],
      [0, node3, "secondary", "ok"],
    ]);
    const trails = await reasonsOf("OP_INSTANCE_REPLACE_DISKS");
    expect(trails).toEqual([
      expect.arrayContaining([
        ["harep", expect.stringMatching(/^harep .* called$/), expect.anything()],
        ["harep", expect.stringContaining("has lost its copy of disk 0"), expect.anything()],
      ]),
    ]);
  });

  test("an instance whose primary has no storage left fails over, and gets another secondary", async () => {
    await staged([drbd]);
    await breakDevices(node1, 99);
    const [first = ""] = await repairAll();
    expect(first).toContain(
      `on its primary ${node1}, which has no room left: it moves to its secondary and gets another one\nExecuting ArFailover`,
    );
    expect(places()).toEqual([node2, node3]);
    expect(await statuses()).toEqual([
      [0, node2, "primary", "ok"],
      [0, node3, "secondary", "ok"],
    ]);
  });

  test("nothing is done where tags do not allow it, nor in a dry run", async () => {
    await staged([drbd], "fix-storage");
    await breakDevices(node1, 99);
    const dry = await repair("--dry-run");
    expect(dry).toContain("Not done: dry run");
    const output = await repair();
    expect(output).toContain(
      `Not performing a repair of type ArFailover on ${web} because only repairs up to ArFixStorage are allowed`,
    );
    expect(places()).toEqual([node1, node2]);
    await done(server, {
      ...{ OP_ID: "OP_TAGS_SET", kind: "instance", name: web },
      tags: ["ganeti:watcher:autorepair:suspend"],
    });
    await breakDevices(node2, 1);
    expect(await repair()).toContain(`since repairs are not allowed: ${web}\n`);
  });

  test("lost data whose other copy is on an offline node waits for that node", async () => {
    await staged([drbd], "reinstall");
    await breakDevices(node1, 1);
    await done(server, {
      OP_ID: "OP_NODE_SET_PARAMS",
      node_name: node2,
      offline: true,
      force: true,
    });
    const output = await repair();
    expect(output).toContain(
      `Not repairing ${web}: ${web} has lost its copy of disk 0 on its primary ${node1}, and ${node2} with the other copy does not answer\n`,
    );
    expect(output).not.toContain("Executing");
  });

  test("an instance that has lost its only copy is recreated on working storage", async () => {
    await staged(
      [{ instance_name: web, disk_template: "plain", pnode: node1, iallocator: null }],
      "reinstall",
    );
    await breakDevices(node1, 99);
    const [first = ""] = await repairAll();
    expect(first).toContain(`${web} has lost the only copy of disk 0 on its primary ${node1}`);
    expect(first).toContain("Executing ArReinstall");
    expect(diskTemplate(server.cluster.snapshot(), instance())).toBe("plain");
    expect(places()[0]).not.toBe(node1);
    expect(await statuses()).toEqual([[0, places()[0], "primary", "ok"]]);
  });

  /** The first devices of the node that are in use, at most `count`. */
  async function breakDevices(node: string, count: number): Promise<void> {
    const rows = (await done(server, {
      ...{ OP_ID: "OP_NODE_QUERY_STORAGE", storage_type: "lvm-pv", nodes: [node] },
      output_fields: ["name", "used"],
    })) as [string, number][];
    const all = count > rows.length ? rows : rows.filter(([, used]) => used > 0);
    for (const [device] of all.slice(0, count)) {
      await server.world.practice?.happen(node, { action: "break-disk", device });
    }
  }

  async function reasonsOf(opId: string): Promise<unknown[]> {
    const rows = await jobs(["ops"]);
    return rows.flatMap(([ops]) =>
      (ops as JsonObject[]).filter(({ OP_ID }) => OP_ID === opId).map(({ reason }) => reason),
    );
  }
});
