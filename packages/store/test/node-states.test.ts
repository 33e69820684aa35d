// The states of simulated nodes in SQLite and PostgreSQL; processes that are killed; what earlier versions kept.
import { spawn } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aPlainDisk } from "@ganeti-ts/node-calls/conformance";
import { openPostgresNodeStates } from "@ganeti-ts/store/postgres";
import { openSqliteNodeStates } from "@ganeti-ts/store/sqlite";
import { type Server, startPostgres, wherePostgresIsInstalled } from "@ganeti-ts/testkit/postgres";
import Database from "libsql";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { describeNodeStates } from "./conformance/node-states.js";
import { creationOf, nodesOn, volumesOn } from "./conformance/nodes-on.js";
import { bundled } from "./crashes/bundled.js";

const inFile = (shared: boolean) => async () => {
  const folder = mkdtempSync(join(tmpdir(), "nodes-"));
  return {
    connect: async () => openSqliteNodeStates(join(folder, "nodes", "nodes.db"), { shared }),
    close: async () => rmSync(folder, { recursive: true }),
  };
};

describeNodeStates("states of nodes in SQLite, for one process", {
  shared: false,
  makeWorld: inFile(false),
});

describeNodeStates("states of nodes in SQLite, for several processes", {
  shared: true,
  makeWorld: inFile(true),
});

const inFolder = bundled("./nodes-worker.ts", "../../src/sqlite/writing-thread.js");

/** Runs a process until it has said that it keeps `count` volumes, and kills it in the middle of the next ones. */
function untilKilled(prefix: string, place: string, count: number): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const worker = spawn(process.execPath, [inFolder("nodes-worker.js"), prefix, place], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let text = "";
    worker.stdout.on("data", (data) => {
      text += String(data);
      if (text.split("\n").length > count) worker.kill("SIGKILL");
    });
    worker.on("error", reject);
    worker.on("exit", () => resolve(text.split("\n").slice(0, -1)));
  });
}

/** Each process is killed at another time, while the others go on. */
const allKilled = async (place: string): Promise<readonly string[]> => {
  const ends = [20, 60, 100].map((count, at) => untilKilled(`p${at}`, place, count));
  const kept = await Promise.all(ends);
  kept.forEach((names, at) => void expect(names.length).toBeGreaterThanOrEqual(20 + 40 * at));
  return kept.flat();
};

test("SQLite: processes that simulate the same nodes are killed; what they said that they keep is kept", async () => {
  const folder = mkdtempSync(join(tmpdir(), "nodes-"));
  const path = join(folder, "nodes.db");
  const kept = await allKilled(path);
  const states = openSqliteNodeStates(path, { shared: true });
  expect(volumesOn(await nodesOn(states), "A")).toEqual(expect.arrayContaining([...kept]));
  await states.close();
  rmSync(folder, { recursive: true });
});

wherePostgresIsInstalled(describe, "PostgreSQL", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  let schemaCount = 0;
  describeNodeStates("states of nodes in PostgreSQL", {
    shared: true,
    makeWorld: async () => {
      const schema = `nodes_${++schemaCount}`;
      return {
        connect: () => openPostgresNodeStates({ connection: server.connection, schema }),
        close: async () => {},
      };
    },
  });

  test("processes that simulate the same nodes are killed; what they said that they keep is kept", async () => {
    const options = { connection: server.connection, schema: "killed" };
    const kept = await allKilled(JSON.stringify(options));
    const states = await openPostgresNodeStates(options);
    expect(volumesOn(await nodesOn(states), "A")).toEqual(expect.arrayContaining([...kept]));
    await states.close();
  });
});

describe("a journal of an earlier version", () => {
  let folder: string;
  let journal: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "nodes-"));
    journal = join(folder, "nodes.journal");
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const open = () => openSqliteNodeStates(join(folder, "nodes.db"));

  /** Nodes with a volume, as a journal has them: every change a line, after older ones. */
  async function written(): Promise<unknown> {
    const other = join(folder, "elsewhere");
    mkdirSync(other);
    const states = openSqliteNodeStates(join(other, "nodes.db"));
    const before = await nodesOn({
      ...states,
      save(changed) {
        for (const [name, text] of changed) {
          appendFileSync(journal, `${JSON.stringify(name)} ${text}\n`);
        }
        return states.save(changed);
      },
    });
    await before.ask("A", "blockdev_create", creationOf(aPlainDisk("old")));
    await before.ask("B", "blockdev_create", creationOf(rbd));
    await states.close();
    rmSync(other, { recursive: true });
    return ["A", "B", "C"].map((node) => before.nodes.stateOf(node));
  }

  test("a journal of node states is imported completely, and removed", async () => {
    const were = await written();
    // A process died while appending, and while rewriting the file.
    appendFileSync(journal, '"A.example.com" {"name":"A.exam');
    writeFileSync(`${journal}.new`, "half a file");
    const states = open();
    const after = await nodesOn(states);
    expect(["A", "B", "C"].map((node) => after.nodes.stateOf(node))).toEqual(were);
    expect(await after.ask("C", "blockdev_find", { disk: rbd })).not.toBeNull();
    await states.close();
    expect(readdirSync(folder).filter((name) => name.startsWith("nodes.journal"))).toEqual([]);
  });

  test("a journal of node states that was imported before changes nothing", async () => {
    await written();
    const first = open();
    const under = await nodesOn(first);
    await under.ask("A", "blockdev_create", creationOf(aPlainDisk("new")));
    await first.close();
    // As after a kill between taking over and removing.
    writeFileSync(journal, '"A.example.com" {"name":"A.example.com"}\n');
    const again = open();
    expect(volumesOn(await nodesOn(again), "A")).toEqual(["old", "new"]);
    await again.close();
    expect(existsSync(journal)).toBe(false);
  });

  test("an unreadable journal of node states changes nothing, and is kept", () => {
    writeFileSync(journal, "no journal\n");
    expect(open).toThrow();
    expect(existsSync(journal)).toBe(true);
  });
});

test("nodes of one process are those of several afterwards, and the other way round", async () => {
  const folder = mkdtempSync(join(tmpdir(), "nodes-"));
  const open = (shared: boolean) => openSqliteNodeStates(join(folder, "nodes.db"), { shared });
  let before: unknown[] | undefined;
  for (const [at, shared] of [false, true, false, true].entries()) {
    const states = open(shared);
    const under = await nodesOn(states);
    const all = () => ["A", "B", "C"].map((node) => under.nodes.stateOf(node));
    expect(all()).toEqual(before ?? all());
    for (const name of [`volume${at}`, `gone${at}`]) {
      await under.ask("A", "blockdev_create", creationOf({ ...aPlainDisk(name), size: 10 }));
    }
    await under.ask("A", "blockdev_remove", { disk: aPlainDisk(`gone${at}`) });
    if (at > 0) await under.ask("A", "blockdev_remove", { disk: aPlainDisk(`volume${at - 1}`) });
    before = all();
    expect(volumesOn(under, "A")).toEqual([`volume${at}`]);
    await states.close();
  }
  rmSync(folder, { recursive: true });
});

test("a file of a newer version is not touched", async () => {
  const folder = mkdtempSync(join(tmpdir(), "nodes-"));
  const path = join(folder, "nodes.db");
  await openSqliteNodeStates(path).close();
  const database = new Database(path);
  database.exec("PRAGMA user_version = 3");
  database.close();
  expect(() => openSqliteNodeStates(path)).toThrow("node state version 3 is from a newer version");
  rmSync(folder, { recursive: true });
});

const rbd = { uuid: "r", dev_type: "rbd" as const, logical_id: ["rbd", "image"], size: 100 };
