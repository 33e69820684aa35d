import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findLuxiSocket } from "./find-socket.js";

const below = "var/run/ganeti/socket/ganeti-query";
const folder = mkdtempSync(join(tmpdir(), "find-"));
afterAll(() => rmSync(folder, { recursive: true }));

const root = (dataDir: string, host: string) => join(folder, dataDir, "vroot", host);
mkdirSync(join(root("one", "node1.example.com"), "var/run/ganeti/socket"), { recursive: true });
mkdirSync(join(root("one", "node2.example.com"), "var/run/ganeti/socket"), { recursive: true });
writeFileSync(join(root("one", "node2.example.com"), below), "");

test("the socket of a data directory is that of the host that has one", () => {
  const path = join(root("one", "node2.example.com"), below);
  expect(findLuxiSocket(join(folder, "one"), {})).toBe(path);
  expect(findLuxiSocket(undefined, { GANETI_TS_DATA: join(folder, "one") })).toBe(path);
});

test.each([
  ["adopted", {}, `/${below}`],
  ["made here", {}, `/${below}`],
  ["adopted", { root: "/base/node1" }, `/base/node1/${below}`],
  ["handed back", {}, join(root("one", "node2.example.com"), below)],
])("a cluster that was %s, with files at %j, has the socket %s", (state, where, path) => {
  const dataDir = join(folder, "one");
  const site = { host: "node1.example.com", data: "/var/lib/ganeti", ...where };
  writeFileSync(join(dataDir, "adopted.json"), JSON.stringify({ version: 1, state, site }));
  expect(findLuxiSocket(dataDir, {})).toBe(path);
  expect(findLuxiSocket(undefined, { GANETI_TS_DATA: dataDir })).toBe(path);
  rmSync(join(dataDir, "adopted.json"));
});

test.each([
  "",
  "null",
  "[]",
  '{"state": "adopted"}',
  '{"state": "adopted", "site": null}',
  '{"state": "adopted", "site": {"root": 5}}',
  '{"state": "adopted", "site": {"root": "not/absolute"}}',
])("a record %j of another form names no folder", (record) => {
  const dataDir = join(folder, "one");
  writeFileSync(join(dataDir, "adopted.json"), record);
  expect(findLuxiSocket(dataDir, {})).toBe(join(root("one", "node2.example.com"), below));
  rmSync(join(dataDir, "adopted.json"));
});

test("a data directory without a server is named in full", () => {
  expect(findLuxiSocket(join(folder, "none"), {})).toBe(join(root("none", "MASTER"), below));
});

test("the option counts before the variables, Ganeti's variable before ours", () => {
  const env = { GANETI_ROOTDIR: "/base/node1", GANETI_TS_DATA: join(folder, "one") };
  expect(findLuxiSocket(undefined, env)).toBe(`/base/node1/${below}`);
  expect(findLuxiSocket(join(folder, "none"), env)).toBe(join(root("none", "MASTER"), below));
});

test("the socket in the data directory itself is found where those below are missing", () => {
  const dataDir = join(folder, "deep");
  mkdirSync(root("deep", "node1.example.com"), { recursive: true });
  writeFileSync(join(dataDir, "luxi.sock"), "");
  expect(findLuxiSocket(dataDir, {})).toBe(join(dataDir, "luxi.sock"));
});
