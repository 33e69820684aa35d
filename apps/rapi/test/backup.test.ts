// Backups of a running server and their restoration, both interrupted after each of their steps, and damaged files.

import {
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "@ganeti-ts/protocol";
import { afterEach, expect, test } from "vitest";
import { createLog } from "../src/log.js";
import { backUp, restore, restoreInSteps } from "../src/program/backup.js";
import { openDataDirectory } from "../src/program/data-directory.js";
import { type Served, serve } from "../src/program/serve.js";
import { readTwinMark, writeTwinMark } from "../src/program/twin-mark.js";
import { endOf, withInstances } from "./instances.js";
import { aServer, serverOptions, type TestServer } from "./served.js";

const rest: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const one of rest.splice(0).reverse()) await one();
});

const delay = { OP_ID: "OP_TEST_DELAY", duration: 0.001, on_master: false } as const;

async function opened(...args: string[]): Promise<TestServer> {
  const server = await aServer("--no-ssl", "--groups=1", ...args);
  const { path } = server.directory;
  rest.push(() => rmSync(path, { recursive: true, force: true }));
  return server;
}

const dropDatabase = ({ database }: TestServer["directory"]): void => {
  for (const end of ["", "-wal", "-shm"]) rmSync(`${database}${end}`, { force: true });
};

async function served({ path }: TestServer["directory"]): Promise<Served> {
  const options = { ...serverOptions(path, ["--no-ssl"]), mode: { kind: "serve" as const } };
  const again = await serve(options, createLog("silent"));
  rest.push(() => again.stop());
  return again;
}

const jobIds = async ({ world }: Pick<Served, "world">) =>
  (await world.queue.query([], ["id"])).map((row) => row?.[0]);

/** Runs the work repeatedly, interrupted after its first step, its second, and so on; returns the number of steps. */
async function cutAfterEachStep(
  work: (reached: (step: string) => void) => unknown,
  look: (step: string) => Promise<void> | void,
): Promise<number> {
  for (let after = 1; ; after++) {
    let steps = 0;
    let last = "";
    const reached = (step: string) => {
      steps += 1;
      last = step;
      if (steps === after) throw new Error("cut short");
    };
    try {
      await work(reached);
      return after - 1;
    } catch (error) {
      if ((error as Error).message !== "cut short") throw error;
      await look(last);
    }
  }
}

test("a backup of a running server restores its cluster, jobs, nodes, users and certificate", async () => {
  const server = await aServer("--groups=1");
  const { directory } = server;
  rest.push(() => rmSync(directory.path, { recursive: true, force: true }));
  await withInstances(server, [{ instance_name: "web.example.com" }]);
  const { uuid } = server.cluster.snapshot().cluster;
  const known = await jobIds(server);
  const working = Array.from({ length: 50 }, () => server.world.queue.submit([delay]));
  const file = join(directory.path, "..", `${process.pid}.backup`);
  rest.push(() => rmSync(file, { force: true }));
  await backUp(directory, file);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await Promise.all(working);
  await server.stop();
  const kept = ["rapi", "rapi.pem", "nodes"].map((name) => join(directory.path, name));
  const before = readFileSync(directory.certificate, "utf8");
  dropDatabase(directory);
  for (const one of kept) rmSync(one, { recursive: true });

  expect(await restore(directory, file)).toBeUndefined();
  const again = await served(directory);
  expect(again.cluster.snapshot().cluster.uuid).toBe(uuid);
  expect(again.cluster.snapshot().findInstance("web.example.com")?.name).toBe("web.example.com");
  const ids: unknown[] = await jobIds(again);
  expect(ids).toEqual(expect.arrayContaining(known as unknown[]));
  expect(readFileSync(directory.certificate, "utf8")).toBe(before);
  expect(readFileSync(directory.users, "utf8")).toContain("jack");
  const query = (await again.world.objects.query("instance", ["name", "status"], null)).data;
  expect(query.map((row) => row.map(([, value]) => value))).toEqual([
    ["web.example.com", "running"],
  ]);
});

test("an interrupted backup leaves the older one unchanged", async () => {
  const server = await opened();
  const { directory } = server;
  const file = join(directory.path, "backup");
  await backUp(directory, file);
  const older = readFileSync(file);
  const steps = await cutAfterEachStep(
    (reached) => backUp(directory, file, reached),
    () => expect(readFileSync(file).equals(older)).toBe(true),
  );
  expect(steps).toBe(3);
  const left = readdirSync(directory.path).filter((name) => /^backup\.(new|nodes)/.test(name));
  expect(left).toEqual([]);
  await server.stop();
});

test("an interrupted restoration can be repeated, and the earlier database is kept", async () => {
  const server = await opened();
  const { directory } = server;
  const { database, path } = directory;
  const file = join(path, "backup");
  const early = await server.world.queue.submit([delay]);
  expect((await endOf(server, early))[0]).toBe("success");
  await backUp(directory, file);
  await server.world.queue.submit([delay]);
  await server.stop();
  const seen: string[] = [];
  await cutAfterEachStep(
    (reached) => restoreInSteps(directory, file, { reached, undo() {} }),
    (step) => {
      seen.push(step);
      // Either the present database is whole, or it is set aside under one name.
      const asides = readdirSync(path).filter((name) => /^cluster\.db\.before-[^.]*Z$/.test(name));
      expect([step, existsSync(database) ? 1 : asides.length]).toEqual([step, 1]);
    },
  );
  expect(seen).toEqual(expect.arrayContaining(["copied", "held", "files", "aside"]));
  const again = await served(directory);
  expect(await jobIds(again)).toEqual([early]);
});

test("a restoration that fails at any step leaves the directory unchanged", async () => {
  const server = await opened();
  const { directory } = server;
  const { path } = directory;
  const file = join(path, "backup");
  await backUp(directory, file);
  await server.stop();
  rmSync(join(path, "rapi", "users"));
  const before = readdirSync(path, { recursive: true }).sort();
  const whole = readFileSync(directory.database);
  const steps = await cutAfterEachStep(
    (reached) => restore(directory, file, { reached }),
    () => {
      expect(readdirSync(path, { recursive: true }).sort()).toEqual(before);
      expect(readFileSync(directory.database).equals(whole)).toBe(true);
    },
  );
  expect(steps).toBeGreaterThanOrEqual(5);
  expect(existsSync(join(path, "rapi", "users"))).toBe(true);
});

test("jobs of a backup that had not ended are held by a rule that says why", async () => {
  const server = await opened();
  const { directory, world } = server;
  const file = join(directory.path, "backup");
  const held = await world.queue.addRule({
    predicates: [["opcode", ["=~", "OP_ID", "^OP_TEST_"]]],
    action: "PAUSE",
  });
  const id = await world.queue.submit([delay]);
  await backUp(directory, file);
  await world.queue.deleteRule(held);
  await server.stop();
  await restore(directory, file);
  const again = await served(directory);
  await again.world.queue.deleteRule(held);
  const [rule] = again.world.queue.rules;
  expect(String(rule?.reason_trail)).toContain("restored from a backup");
  const statuses = async () => (await again.world.queue.query([id], ["status"]))[0]?.[0] as Json;
  expect(await statuses()).toBe("queued");
  await again.world.queue.deleteRule(rule?.uuid ?? "");
  await expect.poll(statuses).toBe("success");
});

test("a backup is not restored into a directory in use, nor from a file that is not a backup", async () => {
  const server = await opened();
  const { directory } = server;
  const file = join(directory.path, "backup");
  await backUp(directory, file);
  await expect(restore(directory, file)).rejects.toThrow("is in use: stop its server first");
  await server.stop();
  await expect(restore(directory, join(directory.path, "none"))).rejects.toThrow(
    "there is no file",
  );
  const text = join(directory.path, "text");
  writeFileSync(text, "text\n");
  for (const one of [directory.nodes, directory.path, text]) {
    await expect(restore(directory, one)).rejects.toThrow(
      `${one} is not a backup of ganeti-rapi --backup`,
    );
  }
  await expect(backUp(directory, join(directory.path, "none", "file"))).rejects.toThrow(
    `there is no folder ${join(directory.path, "none")} for the backup`,
  );
  const nowhere = { ...directory, database: join(directory.path, "no.db") };
  await expect(backUp(nowhere, file)).rejects.toThrow("there is no cluster");
  const again = await served(directory);
  expect(again.cluster.snapshot().cluster.cluster_name).toBe("demo.example.com");
});

test.each([
  {
    why: "pages in the middle are wrong",
    damage: (path: string) => {
      const descriptor = openSync(path, "r+");
      for (let page = 3; page < 12; page++) {
        writeSync(descriptor, Buffer.alloc(4096, 7), 0, 4096, page * 4096);
      }
    },
  },
  { why: "it is no database", damage: (path: string) => writeFileSync(path, "text\n".repeat(999)) },
])("a database is refused at start with the way out if $why", async ({ damage }) => {
  const server = await opened();
  const { directory } = server;
  const file = join(directory.path, "backup");
  await backUp(directory, file);
  await server.stop();
  damage(directory.database);
  const refused = served(directory);
  await expect(refused).rejects.toThrow(
    /^\S+cluster\.db is damaged \([^\n]+\): bring back a backup with ganeti-rapi --restore=FILE/,
  );
  await expect(refused).rejects.toMatchObject({ name: "StartError" });
  const aside = await restore(directory, file);
  expect(existsSync(aside ?? "")).toBe(true);
  const again = await served(directory);
  expect(again.cluster.snapshot().cluster.cluster_name).toBe("demo.example.com");
});

test("the restored backup of a twin is a twin", async () => {
  const server = await opened();
  const { directory } = server;
  const mark = { cluster: "prod", source: "config.data", madeAt: "2026-01-02T03:04:05Z" };
  writeTwinMark(directory.path, mark);
  const file = join(directory.path, "..", `${process.pid}.twin-backup`);
  rest.push(() => rmSync(file, { force: true }));
  await backUp(directory, file);
  const elsewhere = mkdtempSync(join(tmpdir(), "elsewhere-"));
  rest.push(() => rmSync(elsewhere, { recursive: true, force: true }));
  await restore(openDataDirectory(elsewhere), file);
  expect(readTwinMark(elsewhere)).toEqual(mark);
  await server.stop();
});
