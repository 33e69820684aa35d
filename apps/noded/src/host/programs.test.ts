import { chownSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { aContext, fakeRunner, noSignal, type TestContext } from "../../test/a-context.js";
import { hooksCalls, runHooks } from "./hooks-calls.js";
import { programCalls } from "./program-calls.js";
import { safeText } from "./safe-text.js";

/** A clock on which waiting takes no time, and the waits (ms). */
function instantClock() {
  const waits: number[] = [];
  const clock: Clock = {
    now: () => 0,
    wallMicros: () => 0,
    after(delayMs, then) {
      waits.push(delayMs);
      queueMicrotask(then);
      return () => {};
    },
  };
  return { clock, waits };
}

describe("hooks", () => {
  const folder = "etc/ganeti/hooks/instance-add-pre.d";
  const hook = (context: TestContext, name: string, script: string, mode = 0o755) =>
    context.write(`${folder}/${name}`, `#!/bin/sh\n${script}\n`, mode);
  const ask = { path: "instance-add", phase: "pre" } as const;

  test("run in the order of their names with exactly the given environment", async () => {
    const context = aContext();
    hook(context, "20-last", "echo bad >&2; exit 3");
    hook(context, "10-first", "/usr/bin/env | grep -v -e ^PWD= -e ^SHLVL= -e ^_=");
    hook(context, "15-plain", "exit 0", 0o644);
    hook(context, "16-backup~", "exit 0");
    hook(context, ".hidden", "exit 0");
    const environment = { GANETI_X: "a b", PATH: "/usr/bin:/bin" };
    const results = await runHooks(context, { ...ask, environment });
    expect(results.map(({ script, status }) => [script.split("/")[1], status])).toEqual([
      ["10-first", "success"],
      ["15-plain", "skip"],
      ["16-backup~", "skip"],
      ["20-last", "error"],
    ]);
    expect(results[0]?.output.split("\n").sort()).toEqual(["GANETI_X=a b", "PATH=/usr/bin:/bin"]);
    expect(results[3]?.output).toBe("bad");
  });

  test("fail with the reason if they cannot be started", async () => {
    const context = aContext();
    hook(context, "10", "");
    context.write(`${folder}/10`, "#!/missing/interpreter\n", 0o755);
    const [result] = await runHooks(context, { ...ask, environment: {} });
    expect(result).toMatchObject({ status: "error" });
    expect(result?.output).toContain("Hook script execution error: Can't execute");
  });

  test("are refused outside their directory", async () => {
    const run = runHooks(aContext(), { ...ask, path: "../../tmp/x", environment: {} });
    await expect(run).rejects.toThrow("Invalid hooks path '../../tmp/x'");
  });
});

test("output is shown in printable characters", () => {
  expect(safeText("a\tb\r\né€😀\u0001")).toBe("a\\tb\\'r'\n\\xe9\\u20ac\\U0001f600\\x01");
});

test("test_delay waits on the clock, and refuses a negative time", async () => {
  const { clock, waits } = instantClock();
  const { test_delay } = hooksCalls(aContext({ clock }));
  expect(await test_delay({ seconds: 2.5 }, noSignal)).toBeUndefined();
  expect(waits).toEqual([2500]);
  await expect(test_delay({ seconds: -1 }, noSignal)).rejects.toThrow("Invalid sleep duration");
});

describe("restricted commands", () => {
  const open = () => {
    const { clock, waits } = instantClock();
    const context = aContext({ clock });
    mkdirSync(join(context.paths.conf, "restricted-commands"), { mode: 0o755 });
    const add = (name: string, script: string, mode = 0o755) =>
      context.write(`etc/ganeti/restricted-commands/${name}`, `#!/bin/sh\n${script}\n`, mode);
    return { ...programCalls(context), context, waits, add };
  };

  test("answer their output, without a delay and without the daemon's environment", async () => {
    const { restricted_command, add, waits } = open();
    add("show", 'echo "home=$HOME"; echo err >&2');
    expect(await restricted_command({ command: "show" }, noSignal)).toBe("home=\nerr\n");
    expect(waits).toEqual([]);
  });

  test("run while the refusal of another one is delayed", async () => {
    // Waits never end on this clock.
    const clock: Clock = { now: () => 0, wallMicros: () => 0, after: () => () => {} };
    const context = aContext({ clock });
    mkdirSync(join(context.paths.conf, "restricted-commands"), { mode: 0o755 });
    context.write("etc/ganeti/restricted-commands/show", "#!/bin/sh\necho shown\n", 0o755);
    const { restricted_command } = programCalls(context);
    void restricted_command({ command: "missing" }, noSignal);
    expect(await restricted_command({ command: "show" }, noSignal)).toBe("shown\n");
  });

  test("give reason and output when they fail", async () => {
    const { restricted_command, add } = open();
    add("bad", "echo no; exit 2");
    await expect(restricted_command({ command: "bad" }, noSignal)).rejects.toThrow(
      "Restricted command 'bad' failed: exited with exit code 2; output: no\n",
    );
  });

  test.each([
    ["", "Missing command name"],
    ["../x", "Invalid command name"],
    ["a b", "Command name contains forbidden characters"],
    ["missing", "Can't stat(2)"],
    ["open", "are too permissive"],
    ["owned", "is not owned by 0:0"],
    ["plain", "can't be executed"],
  ])("%j is refused after 10 s, and only the log has the reason: %s", async (command, reason) => {
    const { restricted_command, add, waits, context } = open();
    add("plain", "", 0o644);
    chownSync(add("owned", ""), 1, 0);
    const { chmodSync } = await import("node:fs");
    chmodSync(add("open", ""), 0o775);
    const call = restricted_command({ command }, noSignal);
    await expect(call).rejects.toThrow(`Executing command '${command}' failed`);
    expect(waits).toEqual([10_000]);
    expect(context.logged.join("\n")).toContain(reason);
  });
});

describe("allocators", () => {
  test("get the request in ASCII in a file that is gone afterwards, and parameters as options", async () => {
    const context = aContext();
    context.write(
      "usr/lib/ganeti/iallocators/mine",
      '#!/bin/sh\necho "$@"; cat "$1"; echo " $LC_ALL"\n',
      0o755,
    );
    const text = await programCalls(context).iallocator_runner(
      { name: "mine", input: '{"a": "ü"}', parameters: { verbose: null, level: 3 } },
      noSignal,
    );
    const [words = "", request] = text.split("\n");
    const [file = "", ...options] = words.split(" ");
    expect([options, request]).toEqual([["--verbose", "--level=3"], '{"a": "\\u00fc"} C.UTF-8']);
    expect(existsSync(file)).toBe(false);
  });

  test("whose name is a path are not found", async () => {
    const context = aContext();
    context.write("usr/lib/ganeti/iallocators/mine", "#!/bin/sh\n", 0o755);
    const call = programCalls(context).iallocator_runner(
      { name: "../iallocators/mine", input: "", parameters: {} },
      noSignal,
    );
    await expect(call).rejects.toThrow("not found in the search path");
  });
});

describe("out-of-band helpers", () => {
  const ask = {
    ...({ program: "/sbin/oob", command: "power-status", node: "node2" } as const),
    timeoutSeconds: 30,
  };
  test.each([
    ['{"powered": true}\n', { powered: true }],
    ["", null],
  ])("that print %j answer it as JSON", async (stdout, expected) => {
    const { run, commands } = fakeRunner(() => ({ stdout }));
    const context = aContext({ run });
    expect(await programCalls(context).run_oob(ask, noSignal)).toEqual(expected);
    expect(commands).toMatchObject([{ args: ["power-status", "node2"], timeoutMs: 30_000 }]);
  });

  test("give their output when they fail", async () => {
    const { run } = fakeRunner(() => ({ code: 1, stderr: "no route" }));
    await expect(programCalls(aContext({ run })).run_oob(ask, noSignal)).rejects.toThrow(
      "failed with reason 'exited with exit code 1'; output: no route",
    );
  });
});
