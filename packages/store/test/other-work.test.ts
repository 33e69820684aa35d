// Work that begins a few turns of the event loop after other work shares its transaction. Seen to fail with no turns.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Change, defaultSettings } from "@ganeti-ts/job-queue";
import {
  openSqliteConfigStore,
  openSqliteNodeStates,
  openSqliteStore,
} from "@ganeti-ts/store/sqlite";
import Database from "libsql";
import { afterEach, beforeEach, expect, test } from "vitest";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "other-work-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a step decides with what comes a turn after its beginning", async () => {
  const store = openSqliteStore(join(folder, "queue.db"));
  const changes: Change[] = [];
  const step = store.step(
    () => [],
    () => changes.splice(0),
  );
  await turn();
  await turn();
  changes.push({ kind: "settings", settings: { ...defaultSettings, runningMax: 7 } });
  await step;
  expect(changes).toEqual([]);
  await store.close();
});

test("a configuration gathers changes for more than a turn", async () => {
  const store = openSqliteConfigStore(join(folder, "config.db"));
  const order: string[] = [];
  const gathered = store.gathering?.().then(() => order.push("gathered"));
  await turn();
  await turn();
  order.push("two turns");
  await gathered;
  expect(order).toEqual(["two turns", "gathered"]);
  await store.close();
});

test("states of nodes that are saved in different turns are kept together", async () => {
  const path = join(folder, "nodes.db");
  const states = openSqliteNodeStates(path);
  states.load();
  const serialOf = (name: string) => {
    const database = new Database(path, { readonly: true });
    const row = database.prepare("SELECT serial FROM node_state WHERE name = ?").get(name);
    database.close();
    return (row as { serial: number }).serial;
  };
  const first = states.save(new Map([["A", "{}"]]));
  await turn();
  await turn();
  await Promise.all([first, states.save(new Map([["B", "{}"]]))]);
  expect(serialOf("B")).toBe(serialOf("A"));
  await states.save(new Map([["C", "{}"]]));
  expect(serialOf("C")).toBeGreaterThan(serialOf("A"));
  await states.close();
});
