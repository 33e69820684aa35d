// The daemon as a separate process that gets SIGKILL while it starts an instance of the user-id pool.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NodeCallArguments, NodeCallName } from "@ganeti-ts/node-calls";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { noSignal } from "./a-context.js";
import { type MachineFolder, machineFolder } from "./machine-folder.js";
import { describeMachines, killAll, machine } from "./machine-namespace.js";
import { nodeClient } from "./node-client.js";

const uuid = "uuid-1";
const hypervisors = [{ name: "kvm", hvparams: {} }];

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

describeMachines("a daemon that gets SIGKILL", () => {
  const built = mkdtempSync(join(tmpdir(), "noded-single-"));
  let folder: MachineFolder;
  let daemon: ChildProcess;
  let client: Awaited<ReturnType<typeof nodeClient>>;
  beforeAll(() => {
    execFileSync(process.execPath, ["build.js", built], { cwd: join(import.meta.dirname, "..") });
  });
  afterAll(() => rmSync(built, { recursive: true }));
  beforeEach(async () => {
    folder = await machineFolder();
  });
  afterEach(async () => {
    await killed();
    killAll(join(folder.root, "var/run/ganeti/kvm-hypervisor/pid"));
    folder.remove();
  });

  const killed = (): Promise<unknown> => {
    if (daemon.exitCode !== null || daemon.signalCode !== null) return Promise.resolve();
    const end = new Promise((resolve) => daemon.once("close", resolve));
    daemon.kill("SIGKILL");
    return end;
  };

  /** Starts the daemon and waits until it answers. */
  async function begin(): Promise<void> {
    const port = await freePort();
    const words = [`--root=${folder.root}`, "--bind=127.0.0.1", `--port=${port}`];
    daemon = spawn(process.execPath, [join(built, "ganeti-ts-noded.js"), ...words], {
      stdio: ["ignore", "ignore", "ignore"],
    });
    client = await nodeClient(folder.server, folder.client, port);
    await expect.poll(async () => (await answer("version", {})).ok, { timeout: 60_000 }).toBe(true);
  }

  const answer = <Name extends NodeCallName>(name: Name, args: NodeCallArguments<Name>) =>
    client.call(uuid, name, args, { lease: "1:1", signal: noSignal });

  const [one, two, three] = ["a", "b", "c"].map((letter) =>
    machine({
      ...{ name: `${letter}.example.com`, uuid: `${letter}aaaaaaa-2222-3333-4444-555555555555` },
      hvparams: { security_model: "pool" },
    }),
  ) as [ReturnType<typeof machine>, ReturnType<typeof machine>, ReturnType<typeof machine>];
  const start = (instance: typeof one) =>
    answer("instance_start", { instance, startupPaused: false, reason: [] });
  const stop = (instance: typeof one) =>
    answer("instance_shutdown", { instance, timeoutSeconds: 0, reason: [] });
  const running = async () => {
    const found = await answer("instance_list", { hypervisors });
    return found.ok ? [...found.value].sort() : found.message;
  };
  /** User id under which QEMU runs for the instance. */
  const uidOf = ({ name }: typeof one): number => {
    const pid = readFileSync(join(folder.root, "var/run/ganeti/kvm-hypervisor/pid", name), "utf8");
    return Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid.trim()}/status`, "utf8"))?.[1]);
  };
  const pool = () => {
    const path = join(folder.root, "var/run/ganeti/uid-pool");
    return existsSync(path) ? readdirSync(path).sort() : [];
  };

  test("in the middle of a start still gives each instance of the pool its own id, and gets all ids back", async () => {
    folder.ssconf("uid_pool", "1-2\n");
    await begin();
    expect(await start(one)).toMatchObject({ ok: true });
    const first = uidOf(one);
    expect([1, 2]).toContain(first);
    const lost = start(two);
    // The second id has been taken, and its instance does not run yet.
    await expect.poll(pool, { interval: 1, timeout: 60_000 }).toHaveLength(2);
    await killed();
    expect(await lost).toMatchObject({ ok: false });

    await begin();
    expect(await running()).toContain(one.name);
    expect(uidOf(one)).toBe(first);
    expect(await start(two)).toMatchObject({ ok: true });
    expect([first, uidOf(two)].sort()).toEqual([1, 2]);
    expect(await running()).toEqual([one.name, two.name]);
    expect(await start(three)).toMatchObject({
      ok: false,
      message: expect.stringContaining("Failed to find an unused user-id"),
    });

    // Again with two running instances: no id is free for a third one.
    await killed();
    await begin();
    expect(await start(three)).toMatchObject({ ok: false });
    expect(await stop(one)).toMatchObject({ ok: true });
    // The id is free as soon as the machine's first process has collected the QEMU that has ended.
    const isStarted = async () => (await start(three)).ok;
    await expect.poll(isStarted, { interval: 500, timeout: 60_000 }).toBe(true);
    expect(uidOf(three)).toBe(first);
    for (const instance of [two, three]) expect(await stop(instance)).toMatchObject({ ok: true });
    expect([await running(), pool()]).toEqual([[], []]);
  });

  test("while the script of an OS runs leaves neither the script nor its child processes", async () => {
    const { root } = folder;
    const [storage, os] = [join(root, "storage"), join(root, "srv/ganeti/os/slow")];
    for (const path of [storage, os]) mkdirSync(path, { recursive: true });
    const script = "#!/bin/sh\n(trap '' TERM; while :; do sleep 601; done) &\nexec sleep 602\n";
    for (const name of ["create", "import", "export", "rename", "verify"]) {
      writeFileSync(join(os, name), script, { mode: 0o755 });
    }
    writeFileSync(join(os, "ganeti_api_version"), "15\n");
    writeFileSync(join(root, "etc/ganeti/file-storage-paths"), `${storage}\n`);
    await begin();
    const path = join(storage, "disk0");
    const disk = { uuid: "u", dev_type: "file" as const, size: 1, logical_id: ["loop", path] };
    const creation = { owner: "web", onPrimary: true, info: "i", exclusiveStorage: false };
    const made = await answer("blockdev_create", { disk, sizeMib: 1, ...creation });
    expect(made).toMatchObject({ ok: true });
    const instance = { ...one, os: "slow", disks: [disk] };
    const lost = answer("instance_os_add", { instance, reinstall: false, debugLevel: 0 });
    // Processes of the script, whose working directory is that of the definition.
    const programs = () =>
      readdirSync("/proc").filter((pid) => {
        try {
          return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`) === os;
        } catch {
          return false;
        }
      });
    await expect.poll(() => programs().length, { timeout: 60_000 }).toBe(3);
    await killed();
    expect(await lost).toMatchObject({ ok: false });
    expect(programs()).toHaveLength(3);
    await begin();
    await expect.poll(programs).toEqual([]);
    expect(await answer("blockdev_remove", { disk })).toMatchObject({ ok: true });
    expect(readdirSync(storage)).toEqual([]);
    expect(readdirSync(join(root, "var/run/ganeti/ganeti-ts-programs"))).toEqual([]);
  });
});
