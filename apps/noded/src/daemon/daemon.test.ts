import { existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { aContext } from "../../test/a-context.js";
import { lockFile } from "../host/file-lock.js";
import { keptDigests } from "./candidates.js";
import { daemonLog, openLogFile } from "./log.js";
import { readOptions } from "./options.js";
import { takePidFile } from "./pid-file.js";

describe("the pid file", () => {
  test("has the number of the daemon until its end, and excludes a second one", async () => {
    const { run, paths } = aContext();
    const give = await takePidFile(run, paths, 4711);
    const path = join(paths.run, "ganeti-ts-noded.pid");
    expect(readFileSync(path, "utf8")).toBe("4711\n");
    await expect(takePidFile(run, paths, 4712)).rejects.toThrow(
      `PID file '${path}' is already locked by another process, PID read from file is 4711`,
    );
    give();
    expect(existsSync(path)).toBe(false);
    (await takePidFile(run, paths, 4712))();
  });

  test("is not taken while Ganeti's daemon holds its own, and is taken after that daemon has crashed", async () => {
    const { run, paths } = aContext();
    const lock = await lockFile(run, join(paths.run, "ganeti-noded.pid"), 0);
    await expect(takePidFile(run, paths, 1)).rejects.toThrow("Ganeti's own node daemon is running");
    lock?.release();
    (await takePidFile(run, paths, 1))();
  });
});

describe("the log", () => {
  test("has lines in the form of Ganeti's daemons", () => {
    const lines: string[] = [];
    const log = daemonLog(
      (line) => lines.push(line),
      false,
      () => new Date(2026, 10, 22, 1, 2, 3, 4),
    );
    log.debug("hidden");
    log.warn("two\nlines");
    expect(lines).toEqual([
      `2026-11-22 01:02:03,004: ganeti-ts-noded pid=${process.pid} WARNING two\n  lines\n`,
    ]);
  });

  test("continues in a new file after the old one has been moved away", () => {
    const { root } = aContext();
    const path = join(root, "logs/node-daemon.log");
    const log = openLogFile(path, join(root, "missing/console"));
    log.write("one\n");
    renameSync(path, `${path}.1`);
    log.write("two\n");
    log.reopen();
    log.write("three\n");
    log.close();
    expect([readFileSync(`${path}.1`, "utf8"), readFileSync(path, "utf8")]).toEqual([
      "one\ntwo\n",
      "three\n",
    ]);
  });

  test("writes to the console what its file cannot take", () => {
    const context = aContext();
    const console = context.write("console", "");
    // Each write to this device fails as on a full disk.
    const log = openLogFile("/dev/full", console);
    log.write("lost\n");
    log.close();
    expect(readFileSync(console, "utf8")).toBe("Cannot log message:\nlost\n");
  });
});

test("a node that has left still accepts the previous candidates, although their list is gone", () => {
  let listed = ["AA"];
  const { digests, keep } = keptDigests(() => listed);
  listed = ["BB"];
  expect(digests()).toEqual(["BB"]);
  keep();
  listed = [];
  keep();
  expect(digests()).toEqual(["BB"]);
});

test("--mlock is refused with the reason, and --no-mlock is accepted", () => {
  expect(() => readOptions(["--mlock"], {})).toThrow("--mlock needs an add-on");
  expect(readOptions(["--no-mlock"], {})).toMatchObject({ port: 1811 });
});
