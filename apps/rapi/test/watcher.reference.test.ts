// Ganeti's own watcher and cleaner, unmodified, on our server: both run inside a bench of their own.
import type { ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import { benchUnavailable, bringUp, type ReferenceBench } from "@ganeti-ts/reference";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stoodInDaemons } from "../src/program/daemon-stand-ins.js";
import { virtualRoot } from "../src/program/virtual-root.js";
import { sendBySocket } from "./by-socket.js";

const problem = benchUnavailable();
if (problem !== undefined) console.warn(`SKIPPED, no test has run here: ${problem}`);

/** Built by the suite's command before it begins. */
const program = fileURLToPath(new URL("../dist/ganeti-rapi.js", import.meta.url));
const web = "web.example.com";

describe.skipIf(problem !== undefined)("Ganeti's watcher and cleaner on our server", () => {
  let bench: ReferenceBench;
  let server: ChildProcess;
  // Short: the paths of sockets in it are limited.
  const folder = mkdtempSync("/tmp/gw-");
  const root = virtualRoot(folder, "node1.example.com");
  const environment = { GANETI_ROOTDIR: root.path, GANETI_HOSTNAME: root.hostName };

  beforeAll(async () => {
    bench = await bringUp({ populated: false });
    server = bench.spawn(process.execPath, [
      ...[program, `--data-dir=${folder}`, "--init=cluster.example.com"],
      ...["-b", "127.0.0.1", "-p", "5080", "--watcher=off"],
    ]);
    for (let left = 300; left > 0 && !existsSync(join(folder, "rapi.pid")); left--)
      await pause(100);
    await job({
      ...{ OP_ID: "OP_INSTANCE_CREATE", mode: "create", instance_name: web, nics: [{}] },
      ...{ os_type: "noop+default", disk_template: "drbd", disks: [{ size: 1024 }] },
      iallocator: "hail",
    });
  });
  afterAll(async () => {
    server?.kill();
    await bench?.down();
    rmSync(folder, { recursive: true, force: true });
  });

  async function ask(method: string, path: string, body?: Json): Promise<Json> {
    const socketPath = join(folder, "rapi.sock");
    const { status, text } = await sendBySocket({ socketPath, method, path }, body);
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return JSON.parse(text) as Json;
  }

  async function job(opcode: JsonObject): Promise<void> {
    const [{ id }] = (await ask("POST", "/ganeti-ts/1/jobs", { jobs: [[opcode]] })) as [
      { id: number },
    ];
    for (let left = 300; left > 0; left--) {
      const { status } = (await ask("GET", `/2/jobs/${id}`)) as { status: string };
      if (status === "success") return;
      if (status === "error") break;
      await pause(100);
    }
    throw new Error(`job ${id} of ${String(opcode.OP_ID)} has no success`);
  }

  const ownPid = () => readFileSync(join(folder, "rapi.pid"), "utf8");

  const instance = async () =>
    (await ask("GET", `/2/instances/${web}`)) as { status: string; pnode: string };

  const happen = (node: string, failure: JsonObject) =>
    ask("PUT", `/ganeti-ts/1/simulation/${node}`, failure);

  /** Runs the watcher with the processes of its groups to its end, and gives its log. */
  async function watch(): Promise<string> {
    const log = join(root.logs, "watcher.log");
    const before = existsSync(log) ? readFileSync(log, "utf8").length : 0;
    const { status, stderr } = await bench.attempt(
      ...(["ganeti-watcher", ["-d", "--wait-children"], { environment }] as const),
    );
    const written = readFileSync(log, "utf8").slice(before);
    if (status !== 0) throw new Error(`the watcher ended with ${status}: ${stderr}\n${written}`);
    return written;
  }

  test("the watcher finds nothing to do on a healthy cluster, and starts no daemon", async () => {
    // The first one misses the status files of groups that come later.
    await watch();
    const log = await watch();
    expect(log).toContain("Successfully talked to remote API");
    expect(log).not.toMatch(/WConfD not responsive|ERROR|Traceback|Restarting instance/);
    for (const name of stoodInDaemons) {
      expect(readFileSync(join(root.run, `${name}.pid`), "utf8")).toBe(ownPid());
    }
    expect((await instance()).status).toBe("running");
  });

  test("the watcher restarts an instance that crashed", async () => {
    const { pnode } = await instance();
    await happen(pnode, { action: "crash", instance: web });
    expect((await instance()).status).toBe("ERROR_down");
    expect(await watch()).toContain(`Restarting instance '${web}' (attempt #1)`);
    expect((await instance()).status).toBe("running");
    const list = readFileSync(join(root.run, "instance-status"), "utf8");
    expect(list.trim()).toBe(`${web} ERROR_down`);
  });

  test("the watcher activates disks after a reboot of a node", async () => {
    const { pnode } = await instance();
    const nodes = (await ask("GET", "/2/nodes")) as { id: string }[];
    for (const { id } of nodes.filter((node) => node.id !== pnode && node.id !== root.hostName)) {
      await happen(id, { action: "kill" });
      await happen(id, { action: "revive" });
    }
    const log = await watch();
    expect(log).not.toMatch(/ERROR|Traceback/);
    const quiet = await watch();
    expect(quiet).not.toMatch(/Activating disks|Restarting|ERROR/);
  });

  test("the watcher does nothing while it is paused", async () => {
    await ask("PUT", "/ganeti-ts/1/watcher", { pause_until: Date.now() / 1000 + 3600 });
    const { pnode } = await instance();
    await happen(pnode, { action: "crash", instance: web });
    expect(await watch()).not.toContain("Restarting");
    await ask("PUT", "/ganeti-ts/1/watcher", { pause_until: null });
    expect(await watch()).toContain("Restarting");
  });

  test.each(["node", "master"])(
    "the cleaner of a %s ends well and keeps the cluster",
    async (kind) => {
      const files = () => readdirSync(root.data).filter((name) => name.startsWith("ssconf"));
      const before = files();
      await bench.exec("ganeti-cleaner", [kind], { environment });
      expect(files()).toEqual(before);
      expect((await instance()).status).toBe("running");
      const [log = ""] = readdirSync(
        join(root.logs, kind === "node" ? "cleaner" : "master-cleaner"),
      );
      expect(log).toMatch(/^cleaner-/);
    },
  );
});
