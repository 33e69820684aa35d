import { spawn } from "node:child_process";
import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { anInstance, aPlainDisk } from "@ganeti-ts/node-calls/conformance";
import { build } from "esbuild";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { nodeStatesInFiles } from "../src/files.js";
import { creation, type NodesUnderTest, nodesUnderTest } from "./nodes-under-test.js";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "machine-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("nodes in files", () => {
  const stored = () => readFileSync(join(folder, "nodes.journal"), "utf8").split("\n");
  const stage = () => nodesUnderTest({ states: nodeStatesInFiles(folder) });

  test("are as they were, and a change writes what it changed", async () => {
    const before = await stage();
    const shared = { uuid: "r", dev_type: "rbd", logical_id: ["rbd", "image"], size: 100 };
    await before.ask("A", "blockdev_create", creation(aPlainDisk()));
    await before.ask("B", "instance_start", { instance: anInstance(), startupPaused: false });
    await before.ask("B", "blockdev_create", creation(shared));
    expect(stored().map((line) => line.slice(0, line.indexOf(" ")))).toEqual([
      ...['"A.example.com"', '"B.example.com"', '"C.example.com"'],
      ...['"A.example.com"', '"B.example.com"', '"B.example.com"', '""', ""],
    ]);
    const after = await stage();
    for (const node of ["A", "B", "C"]) {
      expect(after.nodes.stateOf(node)).toEqual(before.nodes.stateOf(node));
    }
    expect(await after.ask("C", "blockdev_find", { disk: shared })).not.toBeNull();
  });

  test("do not mind who died writing", async () => {
    const before = await stage();
    await before.ask("A", "blockdev_create", creation(aPlainDisk()));
    appendFileSync(join(folder, "nodes.journal"), '"A.example.com" {"name":"A.exam');
    const after = await stage();
    expect(after.nodes.stateOf("A")).toEqual(before.nodes.stateOf("A"));
    await after.ask("A", "blockdev_remove", { disk: aPlainDisk() });
    expect((await stage()).nodes.stateOf("A")).toEqual(after.nodes.stateOf("A"));
  });

  test("do not take more and more room", async () => {
    const under = await stage();
    const content = "x".repeat(100_000);
    for (let time = 0; time < 200; time++) {
      await under.ask("A", "upload_file", upload(content));
    }
    await under.ask("B", "upload_file", upload("b"));
    expect(statSync(join(folder, "nodes.journal")).size).toBeLessThan(5_000_000);
    const after = await stage();
    for (const node of ["A", "B"]) {
      expect(after.nodes.stateOf(node)).toEqual(under.nodes.stateOf(node));
    }
  });
});

describe("nodes that several processes simulate", () => {
  const shared = { shared: true };
  const volumesOn = (under: NodesUnderTest, node: string) =>
    Object.keys(under.nodes.stateOf(node)?.volumeGroups.xenvg?.volumes ?? {});

  test("are the same for all of them", async () => {
    const one = await nodesUnderTest({ states: nodeStatesInFiles(folder, shared) });
    const two = await nodesUnderTest({ states: nodeStatesInFiles(folder, shared) });
    await one.ask("A", "blockdev_create", creation(aPlainDisk("one")));
    await two.ask("A", "blockdev_create", creation(aPlainDisk("two")));
    await one.ask("B", "instance_start", { instance: anInstance(), startupPaused: false });
    await one.ask("A", "blockdev_create", creation(aPlainDisk("three")));
    const hypervisors = [{ name: "kvm", hvparams: {} }];
    expect(await two.ask("B", "instance_list", { hypervisors })).toEqual(["web.example.com"]);
    await two.ask("A", "vg_list", {});
    for (const under of [one, two]) expect(volumesOn(under, "A")).toEqual(["one", "two", "three"]);
    await two.nodes.powerOff("C");
    expect(await one.answer("C", "vg_list", {})).toMatchObject({ ok: false });
  });

  test("are read anew by one who has not looked for long", async () => {
    const one = await nodesUnderTest({ states: nodeStatesInFiles(folder, shared) });
    const two = await nodesUnderTest({ states: nodeStatesInFiles(folder, shared) });
    await one.ask("B", "blockdev_create", creation(aPlainDisk("early")));
    // So much that the file is written anew meanwhile.
    const content = "x".repeat(100_000);
    for (let time = 0; time < 60; time++) {
      await one.ask("A", "upload_file", upload(content));
    }
    await two.ask("B", "vg_list", {});
    expect(volumesOn(two, "B")).toEqual(["early"]);
  });

  test("are not held by who has died holding them", async () => {
    const under = await nodesUnderTest({ states: nodeStatesInFiles(folder, shared) });
    // No process has this number.
    writeFileSync(join(folder, "lock"), "999999999");
    expect(await under.ask("A", "vg_list", {})).toEqual({ xenvg: 10000 });
  });

  test("keep what each of them does, at the same time", async () => {
    const child = join(folder, "child.mjs");
    const built = await build({
      stdin: {
        contents: `
          import { nodesUnderTest, creation } from "./nodes-under-test.ts";
          import { aPlainDisk } from "@ganeti-ts/node-calls/conformance";
          import { nodeStatesInFiles } from "../src/files.ts";
          const [, , folder, name] = process.argv;
          const under = await nodesUnderTest({ states: nodeStatesInFiles(folder, { shared: true }) });
          for (let n = 0; n < 50; n++) {
            await under.ask("A", "blockdev_create", creation(aPlainDisk(name + n, 10)));
          }`,
        resolveDir: import.meta.dirname,
        loader: "ts",
      },
      ...{ bundle: true, platform: "node", format: "esm", write: false, logLevel: "error" },
      tsconfig: join(import.meta.dirname, "../../../tsconfig.base.json"),
    });
    writeFileSync(child, built.outputFiles[0]?.text ?? "");
    const states = join(folder, "nodes");
    const ends = ["a", "b", "c"].map(
      (name) =>
        new Promise((resolve) =>
          spawn(process.execPath, [child, states, name], { stdio: "inherit" }).on("exit", resolve),
        ),
    );
    expect(await Promise.all(ends)).toEqual([0, 0, 0]);
    const under = await nodesUnderTest({ states: nodeStatesInFiles(states, shared) });
    expect(volumesOn(under, "A")).toHaveLength(150);
  });
});

const upload = (content: string) => ({
  ...{ path: "/etc/motd", content, mode: 0o100644, owner: "root", group: "root" },
  ...{ accessedAt: 0, modifiedAt: 0 },
});
