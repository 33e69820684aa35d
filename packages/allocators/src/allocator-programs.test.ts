import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { allocatorPrograms, removeLeftMessages } from "./allocator-programs.js";

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
    allocatorPrograms({
      searchPath: [join(folder, "one"), join(folder, "two")],
      folder: join(folder, "messages"),
      ...more,
    });

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
    expect(readdirSync(join(folder, "messages"))).toEqual([]);
  });

  test("may answer in UTF-8: their environment declares it, and keeps texts untranslated", async () => {
    const path = program("one", "a", 'echo "$LC_ALL grün"');
    const run = await runner().run(path, "", [], signal);
    expect(run).toEqual({ ok: true, stdout: "C.UTF-8 grün\n" });
  });

  test("read their message from a file in the given folder", async () => {
    const path = program("one", "a", 'echo "$1"');
    const run = await runner().run(path, "", [], signal);
    expect(run.ok && run.stdout).toContain(join(folder, "messages", "ganeti-iallocator."));
  });

  test("messages of allocator programs left by a killed process are removed, and nothing else", async () => {
    const messages = join(folder, "messages");
    await removeLeftMessages(messages);
    mkdirSync(join(messages, "ganeti-iallocator.abc123"), { recursive: true });
    writeFileSync(join(messages, "ganeti-iallocator.abc123", "input"), "{}");
    mkdirSync(join(messages, "other"));
    await removeLeftMessages(messages);
    expect(readdirSync(messages)).toEqual(["other"]);
  });

  test.each([
    ["an exit code", "echo said; echo loudly >&2; exit 3", "exited with exit code 3"],
    ["a signal", "echo said; echo loudly >&2; kill -9 $$", "terminated by signal SIGKILL"],
  ])("that end with %s give no answer, but their whole output", async (_, script, reason) => {
    const run = await runner().run(program("one", "a", script), "", [], signal);
    expect(run).toMatchObject({ ok: false, reason });
    expect(!run.ok && run.output).toContain("said\n");
    expect(!run.ok && run.output).toContain("loudly\n");
  });

  test("allocator programs that take too long, write too much or cannot be run give no answer", async () => {
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

  test("allocator programs end when the calling operation is aborted", async () => {
    const giveUp = new AbortController();
    const running = runner().run(program("one", "a", "sleep 60"), "", [], giveUp.signal);
    setTimeout(() => giveUp.abort(), 50);
    expect(await running).toMatchObject({ ok: false, reason: "job was cancelled" });
  });
});
