// Ganeti's harep in a loop on our server, through the local protocol: as cron runs it.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { secondaryNodes } from "@ganeti-ts/config";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { done, withInstances } from "./instances.js";
import { aServer, type TestServer } from "./served.js";

const harep = "/usr/bin/harep";
const problem = existsSync(harep) ? undefined : "there is no /usr/bin/harep: install ganeti-htools";
if (problem !== undefined) console.warn(`SKIPPED: Ganeti's harep: ${problem}`);

const web = "web.example.com";

describe.skipIf(problem !== undefined)("Ganeti's harep on our server", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await aServer("--nodes=3", "--groups=1", "--watcher=off");
    const nodes = { pnode: "node2.example.com", snode: "node3.example.com", iallocator: null };
    await withInstances(server, [{ instance_name: web, ...nodes }]);
    const tags = ["ganeti:watcher:autorepair:failover"];
    await done(server, { OP_ID: "OP_TAGS_SET", kind: "cluster", tags });
  });
  afterAll(() => server.end());

  const repair = async () => {
    const args = [`-L${server.luxi.path}`, "--job-delay=0"];
    return (await promisify(execFile)(harep, args)).stdout;
  };

  const instance = () => server.cluster.snapshot().expectInstance(web);

  test("after a node went offline its loop ends with a healthy instance, each repair done once", async () => {
    expect(await repair()).toContain("Healthy: 1");
    await server.world.practice?.happen("node2.example.com", { action: "kill" });
    const offline = { node_name: "node2.example.com", offline: true, force: true };
    await done(server, { OP_ID: "OP_NODE_SET_PARAMS", ...offline });
    const outputs: string[] = [];
    while (outputs.length < 40 && !outputs.at(-1)?.includes("Healthy: 1")) {
      outputs.push(await repair());
      await pause(200);
    }
    const executed = outputs.flatMap((output) => output.match(/Executing \w+ repair/g) ?? []);
    expect(executed).toEqual(["Executing ArFailover repair", "Executing ArFixStorage repair"]);
    expect(outputs.at(-1)).toContain("Healthy: 1");
    const now = server.cluster.snapshot();
    const nodeNames = [instance().primary_node, ...secondaryNodes(now, instance())].map(
      (uuid) => now.node(uuid as never)?.name,
    );
    expect(nodeNames).toEqual(["node3.example.com", "node1.example.com"]);
    expect(instance().tags).toEqual([
      expect.stringMatching(/^ganeti:watcher:autorepair:result:fix-storage:.*:success:\d+$/),
    ]);
  });
});
