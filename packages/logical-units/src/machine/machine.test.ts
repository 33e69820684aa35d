import { spawn } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { anInstance, aPlainDisk } from "../../test/node-objects.js";
import { creation, type NodesUnderTest, nodesUnderTest } from "../../test/nodes-under-test.js";
import { allocatorPrograms } from "./allocator-programs.js";
import { nodeStatesInFiles } from "./node-states-in-files.js";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "machine-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("programs", () => {
  const { signal } = new AbortController();

  function program(directory: string, name: string, script: string): string {
    const path = join(folder, directory, name);
    mkdirSync(join(folder, directory), { recursive: true });
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return path;
  }
  const runner = (more = {}) =>
    allocatorPrograms({ searchPath: [join(folder, "one"), join(folder, "two")], ...more });

  test("are found in the first directory that has them, and nowhere else", async () => {
    const first = program("one", "a", "");
    program("two", "a", "");
    const second = program("two", "b", "");
    mkdirSync(join(folder, "one", "b"));
    expect(await runner().find("a")).toBe(first);
    expect(await runner().find("b")).toBe(second);
    expect(await runner().find("c")).toBeUndefined();
    expect(await runner().find("../two/a")).toBeUndefined();
  });

  test("get a file and options, and answer on stdout", async () => {
    const path = program("one", "a", 'cat "$1"; echo " $#:$2" ; echo aside >&2');
    const run = await runner().run(path, "the message", ["--x=1"], signal);
    expect(run).toEqual({ ok: true, stdout: "the message 2:--x=1\n" });
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith("ganeti-iallocator."))).toEqual(
      [],
    );
  });

  test.each([
    ["an exit code", "echo said; echo loudly >&2; exit 3", "exited with exit code 3"],
    ["a signal", "echo said; echo loudly >&2; kill -9 $$", "terminated by signal SIGKILL"],
  ])("that end with %s give no answer, and all they wrote", async (_, script, reason) => {
    const run = await runner().run(program("one", "a", script), "", [], signal);
    expect(run).toMatchObject({ ok: false, reason });
    expect(!run.ok && run.output).toContain("said\n");
    expect(!run.ok && run.output).toContain("loudly\n");
  });

  test("that take too long, write too much or cannot be run give no answer", async () => {
    const slow = program("one", "slow", "echo begun; sleep 60 & wait");
    expect(await runner({ timeoutMs: 200 }).run(slow, "", [], signal)).toMatchObject({
      ok: false,
      reason: "timeout reached (0.2s)",
    });
    const chatty = program("one", "chatty", "yes");
    expect(await runner({ outputBytesMax: 1000 }).run(chatty, "", [], signal)).toMatchObject({
      ok: false,
      reason: "too much output",
    });
    expect(await runner().run(join(folder, "none"), "", [], signal)).toMatchObject({ ok: false });
  });

  test("end with what they were asked for", async () => {
    const giveUp = new AbortController();
    const running = runner().run(program("one", "a", "sleep 60"), "", [], giveUp.signal);
    setTimeout(() => giveUp.abort(), 50);
    expect(await running).toMatchObject({ ok: false, reason: "job was cancelled" });
  });
});

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
      await under.ask("A", "upload_file", { path: "/etc/motd", content, mode: 0o644 });
    }
    await under.ask("B", "upload_file", { path: "/etc/motd", content: "b", mode: 0o644 });
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
      await one.ask("A", "upload_file", { path: "/etc/motd", content, mode: 0o644 });
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
          import { nodesUnderTest, creation } from "./test/nodes-under-test.ts";
          import { aPlainDisk } from "./test/node-objects.ts";
          import { nodeStatesInFiles } from "./src/machine.ts";
          const [, , folder, name] = process.argv;
          const under = await nodesUnderTest({ states: nodeStatesInFiles(folder, { shared: true }) });
          for (let n = 0; n < 50; n++) {
            await under.ask("A", "blockdev_create", creation(aPlainDisk(name + n, 10)));
          }`,
        resolveDir: join(import.meta.dirname, "../.."),
        loader: "ts",
      },
      ...{ bundle: true, platform: "node", format: "esm", write: false, logLevel: "error" },
      alias: {
        "@ganeti-ts/job-queue": join(import.meta.dirname, "../../../job-queue/src/index.ts"),
      },
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
