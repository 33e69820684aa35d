import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { anInstance } from "@ganeti-ts/node-calls/conformance";
import { beforeEach, expect, test } from "vitest";
import { fakeHypervisor } from "../src/hypervisor/fake.js";
import { startMemoryMib } from "../src/hypervisor/figures.js";
import { nodePaths } from "../src/machine/paths.js";
import { aFolder, quiet } from "./a-context.js";

const log = quiet;
const web = anInstance({ hypervisor: "fake" });

let root: string;
beforeEach(() => {
  root = aFolder();
});

const fake = () => fakeHypervisor({ paths: nodePaths(root), log });
const fileOf = (name: string) => join(nodePaths(root).run, "fake-hypervisor", name);
const stop = { force: false, isRepeated: false, timeoutSeconds: 1 };

test("a running instance is a file with the lines 0, memory and vcpus", async () => {
  await fake().start(web, [], false);
  expect(readFileSync(fileOf(web.name), "utf8")).toMatch(/^0\n\d+\n2\n$/);
  await fake().balloon(web, 600);
  expect(readFileSync(fileOf(web.name), "utf8")).toBe("0\n600\n2\n");
  await fake().stop(web, stop);
  expect(await fake().list()).toEqual([]);
});

test("the fake hypervisor refuses in Ganeti's words", async () => {
  await expect(fake().stop(web, stop)).rejects.toThrow(
    "Failed to stop instance web.example.com: not running",
  );
  await expect(fake().balloon(web, 600)).rejects.toThrow(
    "Failed to balloon memory for web.example.com: not running",
  );
  await fake().start(web, [], false);
  await expect(fake().start(web, [], false)).rejects.toThrow(
    "Failed to start instance web.example.com: already running",
  );
  await expect(fake().migration.accept(web, "", "192.0.2.1")).rejects.toThrow(
    "Can't accept instance, already running",
  );
});

test("a node that never had an instance passes the verification, one without a folder for instances does not", async () => {
  const folder = dirname(fileOf(web.name));
  rmSync(folder, { recursive: true, force: true });
  expect(await fake().fault({})).toBeNull();
  rmSync(folder, { recursive: true });
  writeFileSync(folder, "");
  expect(await fake().fault({})).toMatch(/^The required directory '.*' does not exist$/);
});

test("a file of Ganeti's daemon is an instance; one without numbers is reported as a fault", async () => {
  mkdirSync(join(nodePaths(root).run, "fake-hypervisor"), { recursive: true });
  writeFileSync(fileOf("mail.example.com"), "0\n128\n1\n");
  expect(await fake().info("mail.example.com")).toMatchObject({ memoryMib: 128, vcpus: 1 });
  writeFileSync(fileOf("mail.example.com"), "");
  await expect(fake().info("mail.example.com")).rejects.toThrow(
    "Failed to list instance mail.example.com",
  );
});

test("memory of fake instances is subtracted from the free memory of the node", async () => {
  const before = await fake().figures({});
  mkdirSync(join(nodePaths(root).run, "fake-hypervisor"), { recursive: true });
  writeFileSync(fileOf("big.example.com"), `0\n${before.memoryTotalMib * 2}\n1\n`);
  expect((await fake().figures({})).memoryFreeMib).toBe(0);
});

test.each(["..", ".", "", "a/b", "../a"])("%j is refused as an instance name", async (name) => {
  await expect(fake().start({ ...web, name }, [], false)).rejects.toThrow("is not a name");
});

test.each([
  { free: 5000, memory: 1024, why: "enough is free" },
  { free: 700, memory: 700, why: "less is free than it may have" },
  { free: 100, memory: 512, why: "less is free than it must have" },
])("an instance of 512 to 1024 MiB starts with $memory when $why", ({ free, memory }) => {
  expect(startMemoryMib(web, { memoryFreeMib: free })).toBe(memory);
});
