// Instances under QEMU without acceleration. Only the firmware runs, which is enough for all operations of the daemon.
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { acceleratorWorks } from "../src/hypervisor/kvm/accelerator.js";
import { processOf } from "../src/hypervisor/kvm/process.js";
import { withQmp } from "../src/hypervisor/kvm/qmp.js";
import { readRuntime } from "../src/hypervisor/kvm/runtime.js";
import type { Runner } from "../src/machine/runner.js";
import { systemRunner } from "../src/machine/system-runner.js";
import {
  machine,
  machinesUnavailable,
  type Namespace,
  namespace,
  qemu,
  type TestNode,
  testCalls,
  testNode,
} from "./machine-namespace.js";

const problem = machinesUnavailable();
if (problem !== undefined) console.warn(`SKIPPED: ${problem}`);

const never = new AbortController().signal;
const bridged = { mode: "bridged", link: "br0", vlan: "" };
const asNobody = { security_model: "user", security_domain: "nobody" };
const nic = (uuid: string) => ({ uuid, mac: "aa:00:00:11:22:33", nicparams: bridged });

/** A machine on which this program is not installed. */
const lacking = ({ run, detach }: Runner, program: string): Runner => ({
  run: (command) =>
    command.program === program
      ? systemRunner(() => {}).run({ ...command, program: `/missing/${program}` })
      : run(command),
  detach,
});

describe.skipIf(problem !== undefined)("an instance under QEMU", () => {
  let space: Namespace;
  let node: TestNode;
  beforeEach(() => {
    space = namespace();
    space.run("ip", "link", "add", "br0", "type", "bridge");
    space.run("ip", "link", "set", "br0", "mtu", "1450", "up");
    node = testNode(space);
  });
  afterEach(() => {
    node.close();
    space.close();
  });

  const names = (on = node) =>
    on.calls.instance_list({ hypervisors: [{ name: "kvm", hvparams: {} }] }, never);
  const start = (instance = machine(), on = node) =>
    on.calls.instance_start({ instance, startupPaused: false, reason: [] }, never);
  const status = (name: string, on = node) =>
    withQmp(on.files.of(name).qmp, (qmp) => qmp.execute("query-status"));
  const stop = (instance = machine(), timeoutSeconds = 0) =>
    node.calls.instance_shutdown({ instance, timeoutSeconds, reason: [] }, never);

  test("runs with a disk and a NIC from its start to its shutdown, and leaves nothing behind", async () => {
    const instance = machine({
      disks: [node.disk("a"), node.disk("b")],
      nics: [nic("99999999-8888-7777-6666-555555555555")],
    });
    const begun = performance.now();
    await start(instance);
    console.log(`instance_start: ${Math.round(performance.now() - begun)} ms`);
    expect(await names()).toEqual([instance.name]);
    expect(await status(instance.name)).toMatchObject({ status: "running" });
    const asked = { name: instance.name, hypervisor: { name: "kvm", hvparams: {} } };
    expect(await node.calls.instance_info(asked, never)).toMatchObject({ memoryMib: 64, vcpus: 1 });
    const tap = readFileSync(join(node.files.of(instance.name).nics, "0"), "utf8");
    const link = space.run("ip", "-o", "link", "show", "dev", tap);
    expect(link).toMatch(/mtu 1450 .* master br0 .* link\/ether fe(:[0-9a-f]{2}){5} /);
    await start(instance);
    await stop(instance);
    expect(await names()).toEqual([]);
    expect(space.run("ip", "-o", "link", "show")).not.toContain(tap);
    const own = node.files.of(instance.name);
    for (const path of [own.pid, own.runtime, own.qmp, own.monitor, own.nics, own.watch]) {
      expect(existsSync(path), path).toBe(false);
    }
    expect(existsSync(join(node.context.paths.run, "instance-disks", `${instance.name}:0`))).toBe(
      false,
    );
  });

  test("an instance that ignores a shutdown request is ended by force", async () => {
    await start();
    await stop(machine(), 1);
    expect(await names()).toEqual([]);
    expect(node.warnings.join()).toContain(
      "Shutdown of 'web.example.com' unsuccessful, forcing it",
    );
  });

  test("an instance that has died is started again, and its old interface is gone", async () => {
    const instance = machine({ nics: [nic("99999999-8888-7777-6666-555555555555")] });
    await start(instance);
    const found = await processOf(node.files, instance.name);
    process.kill(found?.pid ?? 0, "SIGKILL");
    await expect.poll(() => names()).toEqual([]);
    await start(instance);
    expect(space.run("ip", "-o", "link", "show").match(/: tap\d+:/g)).toHaveLength(1);
  });

  test("soft and hard reboots give it another process with the same words", async () => {
    const instance = machine({ disks: [node.disk("a")] });
    await start(instance);
    const words = readFileSync(node.files.of(instance.name).runtime, "utf8");
    let before = await processOf(node.files, instance.name);
    for (const type of ["soft", "hard"] as const) {
      await node.calls.instance_reboot(
        { instance, type, shutdownTimeoutSeconds: 0, reason: [] },
        never,
      );
      const after = await processOf(node.files, instance.name);
      expect(after?.pid).not.toBe(before?.pid);
      expect(await status(instance.name)).toMatchObject({ status: "running" });
      expect(readFileSync(node.files.of(instance.name).runtime, "utf8")).toBe(words);
      before = after;
    }
  });

  test("the error of a failed start contains the last lines of QEMU's log, but not those of an earlier start", async () => {
    const log = node.files.of("web.example.com").log;
    const failing = machine({ hvparams: { kvm_extra: "-device no-such-device" } });
    await expect(start(failing)).rejects.toThrow(
      new RegExp(`exited with exit code 1 \\(\\), last lines in ${log}:\n.*no-such-device`),
    );
    const early = machine({ hvparams: { kvm_extra: "-no-such-option" } });
    await expect(start(early)).rejects.not.toThrow("no-such-device");
  });

  test("a NIC with vhost_net works without vhost in the kernel, and a warning is logged", async () => {
    const instance = machine({
      nics: [nic("99999999-8888-7777-6666-555555555555")],
      hvparams: { vhost_net: true },
    });
    await start(instance);
    expect(await status(instance.name)).toMatchObject({ status: "running" });
    const isLogged = node.warnings.some((line) => line.includes("vhost_net is set but not used"));
    expect(isLogged).toBe(!existsSync("/dev/vhost-net"));
  });

  test("a failed start leaves no process, file, interface or user id behind", async () => {
    node.ssconf("uid_pool", "65534\n");
    const instance = machine({
      nics: [nic("99999999-8888-7777-6666-555555555555")],
      hvparams: { kvm_extra: "-no-such-option", security_model: "pool" },
    });
    await expect(start(instance)).rejects.toThrow(
      /Hypervisor error: Failed to start instance web.example.com: exited with exit code 1 \(.*no-such-option/s,
    );
    const late = machine({
      nics: [nic("99999999-8888-7777-6666-555555555555")],
      hvparams: { cpu_mask: "0:0:0" },
    });
    await expect(start(late)).rejects.toThrow("Number of CPU masks (3)");
    expect(await names()).toEqual([]);
    expect(space.run("ip", "-o", "link", "show")).not.toMatch(/: tap\d+:/);
    const own = node.files.of(instance.name);
    for (const path of [own.pid, own.runtime, own.uid, own.nics]) {
      expect(existsSync(path), path).toBe(false);
    }
    expect(readdirSync(join(node.context.paths.run, "uid-pool"))).toEqual([]);
  });

  test("an instance started paused waits; one of several vcpus is pinned thread by thread", async () => {
    const instance = machine({
      beparams: { minmem: 64, maxmem: 64, vcpus: 2 },
      hvparams: { cpu_mask: "0:all" },
    });
    await node.calls.instance_start({ instance, startupPaused: true, reason: [] }, never);
    expect(await status(instance.name)).toMatchObject({ status: "prelaunch" });
    const cpus = (await withQmp(node.files.of(instance.name).qmp, (qmp) =>
      qmp.execute("query-cpus-fast"),
    )) as { "thread-id": number }[];
    const allowed = cpus.map(
      (cpu) =>
        /Cpus_allowed_list:\s*(\S+)/.exec(
          readFileSync(`/proc/${cpu["thread-id"]}/status`, "utf8"),
        )?.[1],
    );
    expect(allowed[0]).toBe("0");
    expect(allowed[1]).not.toBe("0");
  });

  test("two instances of the pool get different ids, even if the daemon was restarted in between", async () => {
    node.ssconf("uid_pool", "65534\n1-2\n");
    const pool = { security_model: "pool" };
    const [one, two] = ["one", "two"].map((name, at) =>
      machine({ name, uuid: `${at}aaaaaaa-2222-3333-4444-555555555555`, hvparams: pool }),
    ) as [ReturnType<typeof machine>, ReturnType<typeof machine>];
    await start(one);
    // The new daemon finds files and processes, but no locks.
    const calls = testCalls(node.context);
    await calls.instance_start({ instance: two, startupPaused: false, reason: [] }, never);
    const ids = await Promise.all(
      [one, two].map(async ({ name }) => {
        const pid = (await processOf(node.files, name))?.pid;
        return /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
      }),
    );
    expect(new Set(ids).size).toBe(2);
    expect(["1", "2", "65534"]).toEqual(expect.arrayContaining(ids as string[]));
    await stop(one);
    await stop(two);
    expect(readdirSync(join(node.context.paths.run, "uid-pool"))).toEqual([]);
  });

  test("a display requires its password, which is in no command line", async () => {
    const file = join(node.context.paths.conf, "vnc-password");
    writeFileSync(file, "se-cret\n\n");
    const instance = machine({
      network_port: 5999,
      hvparams: { vnc_bind_address: "127.0.0.1", vnc_password_file: file },
    });
    await start(instance);
    const vnc = await withQmp(node.files.of(instance.name).qmp, (qmp) => qmp.execute("query-vnc"));
    expect(vnc).toMatchObject({ enabled: true, auth: "vnc", service: "5999" });
    const pid = (await processOf(node.files, instance.name))?.pid;
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8");
    expect(words.split("\0")).toContain("127.0.0.1:99,password");
    expect(words).not.toContain("se-cret");
    writeFileSync(file, "a\nb\n");
    await stop(instance);
    await expect(start(instance)).rejects.toThrow("it must have one line, not 2");
  });

  test("password files of displays that an instance does not have do not keep it from starting", async () => {
    const file = join(node.context.paths.conf, "password");
    writeFileSync(file, "se-cret\n");
    await start(machine({ hvparams: { vnc_password_file: file, spice_password_file: file } }));
    expect(await status("web.example.com")).toMatchObject({ status: "running" });
  });

  test("QEMU runs in its chroot directory, which is removed with the instance", async () => {
    const instance = machine({ hvparams: { use_chroot: true, disk_type: "ide" } });
    await start(instance);
    const pid = (await processOf(node.files, instance.name))?.pid;
    const { chroot } = node.files.of(instance.name);
    expect(readlinkSync(join("/proc", String(pid), "root"))).toBe(chroot);
    await stop(instance);
    expect(existsSync(chroot)).toBe(false);
  });

  test("a migrated instance runs on the other node with its disk, and its files are there", async () => {
    const target = testNode(space);
    try {
      const instance = machine({
        disks: [node.disk("a")],
        nics: [nic("99999999-8888-7777-6666-555555555555")],
        hvparams: { migration_caps: "xbzrle" },
      });
      await start(instance);
      await target.disks.attach(instance);
      const info = await node.calls.migration_info({ instance }, never);
      await target.calls.accept_instance({ instance, info, target: "127.0.0.1" }, never);
      await target.calls.accept_instance({ instance, info, target: "127.0.0.1" }, never);
      expect(await status(instance.name, target)).toMatchObject({ status: "inmigrate" });
      const move = { instance, clusterName: "c", target: "127.0.0.1", live: true };
      await node.calls.instance_migrate(move, never);
      const state = () => node.calls.instance_get_migration_status({ instance }, never);
      await expect.poll(async () => (await state()).status, { timeout: 60_000 }).toBe("completed");
      expect((await state()).totalMib).toBeGreaterThan(60);
      const end = { instance, success: true, live: true };
      await node.calls.instance_finalize_migration_src(end, never);
      await target.calls.instance_finalize_migration_dst({ instance, info, success: true }, never);
      expect([await names(), await names(target)]).toEqual([[], [instance.name]]);
      expect(await status(instance.name, target)).toMatchObject({ status: "running" });
      expect(existsSync(target.files.of(instance.name).runtime)).toBe(true);
      await target.calls.instance_reboot(
        { instance, type: "soft", shutdownTimeoutSeconds: 0 },
        never,
      );
      expect(await names(target)).toEqual([instance.name]);
    } finally {
      target.close();
    }
  });

  test("migration and hotplug follow the running instance, whatever has been modified since its start", async () => {
    const target = testNode(space);
    try {
      const running = machine({
        nics: [nic("99999999-8888-7777-6666-555555555555")],
        hvparams: {
          ...{ cpu_mask: "0:0", vnc_password_file: "", use_chroot: false, keymap: "" },
          ...{ vhost_net: false, virtio_net_queues: 1, security_domain: "" },
        },
        beparams: { minmem: 64, maxmem: 64, vcpus: 2 },
      });
      await start(running);
      const file = join(node.context.paths.conf, "vnc-password");
      writeFileSync(file, "se-cret\n");
      const instance = machine({
        hvparams: {
          ...{ vnc_password_file: file, vnc_bind_address: "127.0.0.1", cpu_mask: "all" },
          ...{ vhost_net: true, virtio_net_queues: 4, nic_type: "ne2k_isa", use_chroot: true },
          ...{ security_model: "user", security_domain: "nobody", keymap: "de" },
          ...{ migration_port: 8103, disk_type: "ide" },
        },
        beparams: { minmem: 128, maxmem: 128, vcpus: 1 },
      });
      const device = nic("88888888-8888-7777-6666-555555555555");
      await node.calls.hotplug_device(
        { instance, action: "add", what: { type: "nic", device, index: 1 } },
        never,
      );
      const info = await node.calls.migration_info({ instance }, never);
      await target.calls.accept_instance({ instance, info, target: "127.0.0.1" }, never);
      const move = { instance, clusterName: "c", target: "127.0.0.1", live: true };
      await node.calls.instance_migrate(move, never);
      const state = () => node.calls.instance_get_migration_status({ instance }, never);
      await expect.poll(async () => (await state()).status).toBe("completed");
      await node.calls.instance_finalize_migration_src(
        { instance, success: true, live: true },
        never,
      );
      await target.calls.instance_finalize_migration_dst({ instance, info, success: true }, never);
      expect(await status(instance.name, target)).toMatchObject({ status: "running" });
      const found = await processOf(target.files, instance.name);
      expect(found).toMatchObject({ memoryMib: 64, vcpus: 2 });
    } finally {
      target.close();
    }
  });

  test("a migrated instance can be migrated back, even after a cancelled attempt", async () => {
    const target = testNode(space);
    try {
      const instance = machine({});
      await start(instance);
      const state = (from: TestNode) =>
        from.calls.instance_get_migration_status({ instance }, never);
      const begin = async (from: TestNode, to: TestNode, hvparams = {}) => {
        const info = await from.calls.migration_info({ instance }, never);
        await to.calls.accept_instance({ instance, info, target: "127.0.0.1" }, never);
        const moved = { ...instance, hvparams: { ...instance.hvparams, ...hvparams } };
        const move = { instance: moved, clusterName: "c", target: "127.0.0.1", live: true };
        await from.calls.instance_migrate(move, never);
        return info;
      };
      const migrate = async (from: TestNode, to: TestNode) => {
        const info = await begin(from, to);
        await expect.poll(async () => (await state(from)).status).toBe("completed");
        const end = { instance, success: true, live: true };
        await from.calls.instance_finalize_migration_src(end, never);
        await to.calls.instance_finalize_migration_dst({ instance, info, success: true }, never);
        await expect.poll(() => status(instance.name, to)).toMatchObject({ status: "running" });
        expect([await names(from), await names(to)]).toEqual([[], [instance.name]]);
      };
      expect((await state(node)).status).toBe("failed");
      await migrate(node, target);
      // No outgoing migration has begun here, although QEMU reports the incoming one as completed.
      expect((await state(target)).status).toBe("failed");
      const info = await begin(target, node, { migration_bandwidth: 1 });
      const { qmp } = target.files.of(instance.name);
      await withQmp(qmp, ({ execute }) => execute("migrate_cancel"));
      await expect.poll(async () => (await state(target)).status).toBe("cancelled");
      await node.calls.instance_finalize_migration_dst({ instance, info, success: false }, never);
      const failed = { instance, success: false, live: true };
      await target.calls.instance_finalize_migration_src(failed, never);
      expect(await status(instance.name, target)).toMatchObject({ status: "running" });
      await migrate(target, node);
    } finally {
      target.close();
    }
  });

  test("after a failed migration the instance keeps running at its source and nothing is left at the target", async () => {
    const target = testNode(space);
    try {
      const instance = machine({ nics: [nic("99999999-8888-7777-6666-555555555555")] });
      await start(instance);
      const info = await node.calls.migration_info({ instance }, never);
      await target.calls.accept_instance({ instance, info, target: "127.0.0.1" }, never);
      const pid = (await processOf(target.files, instance.name))?.pid;
      process.kill(pid ?? 0, "SIGKILL");
      const move = { instance, clusterName: "c", target: "127.0.0.1", live: false };
      await node.calls.instance_migrate(move, never);
      const state = () => node.calls.instance_get_migration_status({ instance }, never);
      await expect.poll(async () => (await state()).status).toBe("failed");
      const fails = { instance, info, success: false };
      await target.calls.instance_finalize_migration_dst(fails, never);
      const end = { instance, success: false, live: false };
      await node.calls.instance_finalize_migration_src(end, never);
      expect(await status(instance.name)).toMatchObject({ status: "running" });
      expect(await names(target)).toEqual([]);
      expect(space.run("ip", "-o", "link", "show").match(/: tap\d+:/g)).toHaveLength(1);
    } finally {
      target.close();
    }
  });

  test("after a complete transfer whose target has died the instance continues at its source", async () => {
    const target = testNode(space);
    try {
      const instance = machine({ disks: [node.disk("a")] });
      await start(instance);
      await target.disks.attach(instance);
      const info = await node.calls.migration_info({ instance }, never);
      await target.calls.accept_instance({ instance, info, target: "127.0.0.1" }, never);
      const move = { instance, clusterName: "c", target: "127.0.0.1", live: true };
      await node.calls.instance_migrate(move, never);
      const state = () => node.calls.instance_get_migration_status({ instance }, never);
      await expect.poll(async () => (await state()).status).toBe("completed");
      expect(await status(instance.name)).toMatchObject({ status: "postmigrate" });
      const { pid = 0 } = (await processOf(target.files, instance.name)) ?? {};
      process.kill(pid, "SIGKILL");
      // It holds the lock of the disk until it ends.
      await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
      const end = { instance, success: false, live: false };
      await node.calls.instance_finalize_migration_src(end, never);
      expect(await status(instance.name)).toMatchObject({ status: "running" });
    } finally {
      target.close();
    }
  });

  test.each([
    { as: "root", hvparams: {} },
    {
      as: "a user, with two queues",
      hvparams: { ...asNobody, vhost_net: true, virtio_net_queues: 2 },
    },
    { as: "a user of the pool", hvparams: { security_model: "pool", vnet_hdr: false } },
    { as: "root in a chroot", hvparams: { use_chroot: true, disk_cache: "none" } },
    { as: "a user in a chroot", hvparams: { ...asNobody, use_chroot: true, nic_type: "e1000" } },
  ])(
    "a disk and a NIC are attached while it runs as $as, and survive a reboot",
    async ({ hvparams }) => {
      node.ssconf("uid_pool", "1-2\n");
      const instance = machine({ disks: [node.disk("a")], hvparams });
      await start(instance);
      await node.calls.hotplug_supported({ instance }, never);
      const device = node.disk("b");
      const link = device.logical_id[1] as string;
      await node.calls.hotplug_device(
        {
          instance,
          action: "add",
          what: { type: "disk", device, index: 1, extra: { link, uri: null } },
        },
        never,
      );
      await node.calls.hotplug_device(
        {
          instance,
          action: "add",
          what: { type: "nic", device: nic("99999999-8888-7777-6666-555555555555"), index: 0 },
        },
        never,
      );
      const { disks, nics } = readRuntime(
        readFileSync(node.files.of(instance.name).runtime, "utf8"),
      );
      expect(disks.map(({ disk }) => disk.hvinfo.addr)).toEqual(["0xc", "0xd"]);
      expect(nics.map(({ hvinfo }) => hvinfo.addr)).toEqual(["0xe"]);
      const ids = async () =>
        JSON.stringify(
          await withQmp(node.files.of(instance.name).qmp, (qmp) => qmp.execute("query-pci")),
        ).match(/"(disk|nic)-[^"]+"/g);
      expect(await ids()).toHaveLength(3);
      await node.calls.instance_reboot(
        { instance, type: "soft", shutdownTimeoutSeconds: 0 },
        never,
      );
      expect(await ids()).toHaveLength(3);
    },
  );

  test("hotplug of a disk that is missing or read-only fails with the reason and changes nothing", async () => {
    const instance = machine();
    await start(instance);
    const before = readFileSync(node.files.of(instance.name).runtime, "utf8");
    const device = node.disk("b");
    const extra = { link: "/missing", uri: null };
    await expect(
      node.calls.hotplug_device(
        { instance, action: "add", what: { type: "disk", device, index: 0, extra } },
        never,
      ),
    ).rejects.toThrow(/^Cannot hot-add disk: .*No such file/);
    const confined = { ...instance, hvparams: { ...instance.hvparams, use_chroot: true } };
    const wish = {
      ...{ instance: confined, action: "add" as const },
      what: { type: "disk" as const, device, index: 0, extra },
    };
    await expect(node.calls.hotplug_device(wish, never)).rejects.toThrow(
      /^Cannot hot-add disk: Cannot open \/missing: No such file/,
    );
    const withoutPython = testCalls({ ...node.context, run: lacking(node.context.run, "python3") });
    await expect(withoutPython.hotplug_device(wish, never)).rejects.toThrow(
      /^Cannot hot-add disk: Devices of a confined QEMU need python3: .*not found/,
    );
    const readOnly = {
      type: "disk" as const,
      device: { ...device, mode: "ro" as const },
      index: 0,
    };
    const added = { ...readOnly, extra: { link: device.logical_id[1] as string, uri: null } };
    await expect(
      node.calls.hotplug_device({ instance, action: "add", what: added }, never),
    ).rejects.toThrow(/^Cannot hot-add disk: Instance has read-only disks/);
    expect(readFileSync(node.files.of(instance.name).runtime, "utf8")).toBe(before);
  });

  test("QEMU with emulation passes the accelerator probe, and another program does not", async () => {
    expect(await acceleratorWorks(node.context, qemu, "tcg")).toBe(true);
    expect(await acceleratorWorks(node.context, "/bin/true", "kvm")).toBe(false);
  });
});
