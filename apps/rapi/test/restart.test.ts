import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openSqliteNodeStates } from "@ganeti-ts/store/sqlite";
import { expect, test } from "vitest";
import { createLog } from "../src/log.js";
import { serve } from "../src/program/serve.js";
import { dummy, withInstances } from "./instances.js";
import { aServer, serverOptions } from "./served.js";

test("a server that is started again finds its cluster, its jobs and its certificate", async () => {
  const first = await aServer();
  const { world, cluster } = first;
  const id = await world.queue.submit([dummy]);
  const { uuid } = cluster.snapshot().cluster;
  const again = await first.again();
  expect(again.cluster.snapshot().cluster.uuid).toBe(uuid);
  expect((await again.world.queue.query([], ["id"])).map((row) => row?.[0])).toEqual([id]);
  expect(again.certificate).toBe(first.certificate);
  await again.end();
});

test("two servers do not share a data directory: the second one names the first", async () => {
  const server = await aServer();
  const { path, pid } = server.directory;
  const refused = (who: string) =>
    expect(server.beside()).rejects.toThrow(`the data directory ${path} is in use by ${who}`);
  await refused(`process ${process.pid}`);
  // Left by a server that was killed.
  writeFileSync(pid, "999999999\n");
  await refused("another process");
  rmSync(pid);
  await refused("another process");
  expect(await server.world.queue.query([], ["id"])).toEqual([]);
  await server.end();
});

test("a data directory of an earlier version, with its nodes in a journal, is taken over", async () => {
  const first = await aServer();
  await withInstances(first, [{ instance_name: "web.example.com" }]);
  const { directory } = first;
  const instanceText = async ({ world }: typeof first) =>
    JSON.parse((await world.texts.objectText("instance", "web.example.com")) ?? "null");
  const before = await instanceText(first);
  expect(before.status).toBe("running");
  await first.stop();
  // The earlier form: a line for each state, and none of the present files.
  const states = openSqliteNodeStates(directory.nodes);
  const { hosts } = await states.load();
  await states.close();
  const lines = Array.from(hosts.values(), (read) => read()).map(
    (host) => `${JSON.stringify(host.name)} ${JSON.stringify(host)}\n`,
  );
  const folder = dirname(directory.nodes);
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  writeFileSync(join(folder, "nodes.journal"), lines.join(""));

  const again = await first.again();
  expect(await instanceText(again)).toEqual(before);
  expect(readdirSync(folder)).not.toContain("nodes.journal");
  await again.end();
});

test("messages to allocators left by a killed server are removed", async () => {
  const server = await aServer();
  const { allocatorMessages } = server.directory;
  const left = join(allocatorMessages, "ganeti-iallocator.abc123");
  mkdirSync(left, { recursive: true });
  const again = await server.again();
  expect(readdirSync(allocatorMessages)).toEqual([]);
  await again.end();
});

test("a cluster over nodes with disks of another one is refused unless forced", async () => {
  const first = await aServer();
  await withInstances(first, [{ instance_name: "web.example.com" }]);
  const { database, path } = first.directory;
  const { uuid } = first.cluster.snapshot().cluster;
  await first.stop();
  for (const file of [database, `${database}-wal`, `${database}-shm`])
    rmSync(file, { force: true });
  const log = createLog("silent");
  const refused = serve(serverOptions(path), log);
  await expect(refused).rejects.toThrow(
    `${path} has no cluster, but its 4 nodes hold 4 volumes and disk files of one and run 1 instances`,
  );
  await expect(refused).rejects.toThrow("--over-nodes");
  const made = await serve(serverOptions(path, ["--over-nodes"]), log);
  expect(made.cluster.snapshot().cluster.uuid).not.toBe(uuid);
  await made.stop();
  rmSync(path, { recursive: true });
});

// Where Ganeti's own watcher looks for its pause.
test("the watcher's pause is in the file below the virtual root, also after a restart", async () => {
  const server = await aServer();
  const file = join(server.luxi.root.data, "watcher.pause");
  expect(existsSync(file)).toBe(false);
  await server.world.objects.pauseWatcher(1_900_000_000.7);
  expect(readFileSync(file, "utf8")).toBe("1900000000\n");
  const again = await server.again();
  expect(readFileSync(file, "utf8")).toBe("1900000000\n");
  await again.world.objects.pauseWatcher(null);
  expect(existsSync(file)).toBe(false);
  await again.end();
});
