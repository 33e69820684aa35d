// The built program as a process: files, pipes and exit codes of the real world.
import { spawn, spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { wireMessage } from "./message.js";

const file = (name: string) => fileURLToPath(new URL(`../dist/${name}`, import.meta.url));
const message = JSON.stringify(wireMessage());

const forms = [
  { form: "the program", interpreter: process.execPath, program: file("hail.js") },
  { form: "the executable", interpreter: "/usr/bin/env", program: file("native/hail") },
].map((one) => ({ ...one, isBuilt: existsSync(one.program) }));

describe.each(forms)(
  "$form (skipped where it is not built)",
  ({ interpreter, program, isBuilt }) => {
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), "hail-"));
      writeFileSync(join(folder, "request"), message);
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    const hail = (argv: string[], input: string | Buffer = "") =>
      spawnSync(interpreter, [program, ...argv], { cwd: folder, input, encoding: "utf8" });
    const shell = (script: string) =>
      spawnSync("bash", ["-c", script, interpreter, program], {
        cwd: folder,
        encoding: "utf8",
      });

    test.skipIf(!isBuilt)("the built program gives the same answer for a file and a pipe", () => {
      const fromFile = hail(["request"]);
      expect(fromFile).toMatchObject({ status: 0, stderr: "" });
      expect(JSON.parse(fromFile.stdout)).toMatchObject({ success: true, result: ["node3"] });
      expect(hail(["-"], message).stdout).toBe(fromFile.stdout);
    });

    test.skipIf(!isBuilt)(
      "the built program copes with a slow writer on stdin and a slow reader on stdout",
      () => {
        const script = `(head -c 100 request; sleep 0.2; tail -c +101 request) | "$0" "$1" -`;
        expect(JSON.parse(shell(script).stdout)).toMatchObject({ success: true });
        const tables = shell(`"$0" "$1" -vvp -S state request 2>&1 | (sleep 0.2; wc -l)`);
        expect(Number(tables.stdout)).toBeGreaterThan(15);
      },
    );

    test.skipIf(!isBuilt)("the built program saves the state in the given file", () => {
      expect(hail(["-S", "kept", "request"]).status).toBe(0);
      expect(readFileSync(join(folder, "kept.post-ialloc"), "utf8")).toContain("\nweb|1024|");
    });

    test.skipIf(!isBuilt).each([
      [["missing"], "hail: missing: openFile: does not exist (No such file or directory)\n"],
      [["."], "hail: .: openFile: inappropriate type (is a directory)\n"],
      [["request/x"], "hail: request/x: openFile: inappropriate type (Not a directory)\n"],
      [
        ["-S", "no/x", "request"],
        "hail: no/x.pre-ialloc: openFile: does not exist (No such file or directory)\n",
      ],
    ])("%j ends with exit code 1 and says why", (argv, stderr) => {
      expect(hail(argv)).toMatchObject({ status: 1, stdout: "", stderr });
    });

    test.skipIf(!isBuilt)("the built program ends quietly when stdout is closed", () => {
      const { stdout, stderr } = shell(
        `{ sleep 0.1; "$0" "$1" request; echo "$?" > status; } | true; sleep 0.5; cat status`,
      );
      expect({ stdout, stderr }).toEqual({ stdout: "1\n", stderr: "" });
    });

    test.skipIf(!isBuilt)("the built program reads a named pipe", () => {
      const { stdout } = shell(`mkfifo pipe; cat request > pipe & "$0" "$1" pipe`);
      expect(JSON.parse(stdout)).toMatchObject({ success: true, result: ["node3"] });
    });

    test.skipIf(!isBuilt)("the built program says that its answer cannot be written", () => {
      const { stdout, stderr } = shell(`"$0" "$1" request > /dev/full; echo "$?"`);
      expect(stdout).toBe("1\n");
      expect(stderr).toBe("hail: <stdout>: hClose: resource exhausted (No space left on device)\n");
    });

    test.skipIf(!isBuilt)("the built program leaves a shared stdout blocking", () => {
      const { stdout } = shell(
        `{ "$0" "$1" request; head -c 200000 /dev/zero; } | (sleep 0.2; wc -c)`,
      );
      expect(Number(stdout)).toBeGreaterThan(200_000);
    });

    test.skipIf(!isBuilt)("the built program answers when stderr is closed", () => {
      const { stdout } = shell(`"$0" "$1" -vvp request 2>&-; "$0" "$1" -vvp request 2> >(true)`);
      expect(stdout.trim().split("\n")).toHaveLength(2);
    });

    test.skipIf(!isBuilt)(
      "the built program refuses binary input and deep nesting in one line",
      () => {
        for (const input of [
          Buffer.from([0xff, 0xfe]),
          "[".repeat(100_000),
          '{"a":'.repeat(100_000),
        ]) {
          const { status, stdout, stderr } = hail(["-"], input);
          expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
          expect(stderr).toMatch(/^Error: Parsing input IAllocator message: .*\n$/);
        }
      },
    );
  },
);

const executable = file("native/hail");

describe.skipIf(!existsSync(executable))("the executable (skipped where it is not built)", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "hail-native-"));
    writeFileSync(join(folder, "request"), message);
    copyFileSync(executable, join(folder, "hail"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const hail = (argv: string[]) =>
    spawnSync(join(folder, "hail"), argv, { cwd: folder, encoding: "utf8" });
  const withEngine = (script: string) => {
    writeFileSync(join(folder, "hail-engine"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  };

  test("answers a usual request without its engine, and says that others need it", () => {
    expect(hail(["request"])).toMatchObject({ status: 0, stderr: "" });
    const engine = join(realpathSync(folder), "hail-engine");
    expect(hail(["-v", "request"])).toMatchObject({
      ...{ status: 1, stdout: "" },
      stderr: `hail: there is no ${engine}, which answers all but usual small requests\n`,
    });
  });

  test("gives its engine all words, and ends as it does", () => {
    withEngine('echo "$# $1 $2"; exit 7');
    expect(hail(["-v", "a b"])).toMatchObject({ status: 7, stdout: "2 -v a b\n" });
    withEngine("kill -ABRT $$");
    expect(hail(["-v", "request"])).toMatchObject({ status: null, signal: "SIGABRT" });
  });

  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("gives its engine %s", async (signal) => {
    withEngine(
      `trap 'kill $!; echo stopped; exit 3' ${signal.slice(3)}; echo ready; sleep 10 & wait`,
    );
    const child = spawn(join(folder, "hail"), ["-v"], { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    for await (const text of child.stdout.setEncoding("utf8")) {
      output += text;
      if (output === "ready\n") child.kill(signal);
      if (output.includes("stopped")) break;
    }
    expect(output).toBe("ready\nstopped\n");
    expect(child.exitCode ?? (await new Promise((resolve) => child.once("exit", resolve)))).toBe(3);
  });
});
