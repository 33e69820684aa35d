import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { watcherNotesIn } from "./watcher-notes.js";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "notes-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("notes are kept in one file for each group, which only its owner reads", async () => {
  const notes = watcherNotesIn(folder);
  expect(await notes.load("g1")).toBeUndefined();
  await notes.save("g1", "first");
  await notes.save("g1", "second");
  await notes.save("g2", "other");
  expect(readdirSync(folder)).toEqual(["watcher.g1.data", "watcher.g2.data"]);
  expect(statSync(join(folder, "watcher.g1.data")).mode & 0o777).toBe(0o600);
  expect([await watcherNotesIn(folder).load("g1"), await notes.load("g2")]).toEqual([
    "second",
    "other",
  ]);
});

test("an unreadable file does not restart the count", async () => {
  await expect(watcherNotesIn(join(folder, "watcher.x.data")).save("g", "x")).rejects.toThrow();
  await watcherNotesIn(folder).save("g", "x");
  await expect(watcherNotesIn(join(folder, "watcher.g.data")).load("g")).rejects.toMatchObject({
    code: "ENOTDIR",
  });
});
