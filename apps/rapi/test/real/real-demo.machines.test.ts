// `pnpm start -- --real`: three nodes in namespaces, a guest that counts while it moves, and nothing left afterwards.
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { lackingForRealNodes } from "../../src/demo/real/outer.js";

const program = fileURLToPath(new URL("../../dist/demo.js", import.meta.url));
const lacks = await lackingForRealNodes({ system: undefined });
if (lacks.length > 0) console.warn(`SKIPPED: ${lacks.join("; ")}`);

/** Possible leftovers of the demonstration: folders, interfaces, mounts, processes. Other tests may run at the same time. */
function traces() {
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const commands = processes.map((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");
    } catch {
      return "";
    }
  });
  const links = execFileSync("ip", ["-o", "link"], { encoding: "utf8" });
  return {
    folders: readdirSync("/tmp").filter((name) => name.startsWith("ganeti-ts-real-")),
    links: links.match(/^\d+: (switch0|port1\d|br0)/gm),
    mounts: readFileSync("/proc/self/mounts", "utf8").match(/ganeti-ts-real-/g),
    processes: commands.filter((text) => /counter\.example\.com|ganeti-ts-real-/.test(text)),
  };
}

interface Run {
  readonly child: ChildProcess;
  output(): string;
  readonly ended: Promise<number | null>;
}

function start(...words: string[]): Run {
  const child = spawn(process.execPath, [program, "--real", ...words], { stdio: "pipe" });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (part: string) => {
      output += part;
    });
  }
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  return { child, output: () => output, ended };
}

describe.skipIf(lacks.length > 0)("the demonstration on real nodes", () => {
  test("boots a guest, moves it while it counts, and leaves nothing", {
    timeout: 500_000,
  }, async () => {
    const before = traces();
    const run = start("--ends");
    expect([await run.ended, run.output()]).toEqual([0, expect.anything()]);
    const text = run.output();
    expect(text).toContain("the node daemon of node3.example.com answers");
    const [, from, to] = /counted to (\d+) on node1.* went on to (\d+) on node2/.exec(text) ?? [];
    expect(Number(to)).toBeGreaterThan(Number(from));
    expect(text).toMatch(/counter\.example\.com node2\.example\.com running +128M sharedfile/);
    // Each number once, from 1: a guest that had started again would show a second 1.
    expect(text.match(/\| .*counted 1$/gm)).toHaveLength(1);
    expect(traces()).toEqual(before);
  });

  test("is interrupted in the middle and leaves nothing", async () => {
    const before = traces();
    const run = start();
    await expect.poll(run.output, { timeout: 600_000 }).toContain("$ gnt-node add");
    expect(traces()).not.toEqual(before);
    run.child.kill("SIGINT");
    expect(await run.ended).toBe(130);
    expect(traces()).toEqual(before);
  });

  test("is killed, and its machines end with it", async () => {
    const before = traces();
    const run = start();
    await expect.poll(run.output, { timeout: 600_000 }).toContain("$ gnt-node add");
    run.child.kill("SIGKILL");
    await run.ended;
    const { folders: left, ...others } = before;
    // The folder of a process that could not clean up stays, and nothing else.
    await expect
      .poll(() => ({ ...traces(), folders: left }), { timeout: 20_000 })
      .toEqual({ ...others, folders: left });
    for (const name of traces().folders.filter((one) => !left.includes(one))) {
      rmSync(join("/tmp", name), { recursive: true });
    }
  });

  test("without QEMU and socat names both with one apt line, and changes nothing", () => {
    const before = traces();
    const absent = ["qemu-system-x86_64", "socat"];
    const ended = spawnSync("unshare", ["--mount", "sh", "-c", hidden(absent, program)], {
      encoding: "utf8",
    });
    expect([ended.status, ended.stdout]).toEqual([2, ""]);
    expect(ended.stderr).toContain("apt-get install qemu-system-x86 socat\n");
    expect(ended.stderr).toContain("Nothing has been changed.");
    expect(traces()).toEqual(before);
  });
});

/** A command line for a mount namespace of its own, in which these programs cannot be run. */
const hidden = (names: readonly string[], file: string): string =>
  `for name in ${names.join(" ")}; do mount --bind /dev/null /usr/bin/$name; done; exec ${process.execPath} ${file} --real --ends`;
