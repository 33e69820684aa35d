// Instances under QEMU without acceleration. Only the firmware runs, which is enough for all operations of the daemon.
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { acceleratorWorks } from "../src/hypervisor/kvm/accelerator.js";
import { processOf } from "../src/hypervisor/kvm/process.js";
import { readRuntime } from "../src/hypervisor/kvm/runtime.js";
import type { Runner } from "../src/machine/runner.js";
import { systemRunner } from "../src/machine/system-runner.js";
import { noSignal } from "./a-context.js";
import {
  bridgedNic,
  describeMachines,
  machine,
  migrate,
  type Namespace,
  namespace,
  qemu,
  type TestNode,
  testNode,
} from "./machine-namespace.js";

const asNobody = { security_model: "user", security_domain: "nobody" };

/** A machine on which this program is not installed. */
const lacking = ({ run, detach }: Runner, program: string): Runner => ({
  run: (command) =>
    command.program === program
      ? systemRunner(() => {}).run({ ...command, program: `/missing/${program}` })
      : run(command),
  detach,
});

describeMachines("an instance under QEMU", () => {
  let space: Namespace;
  let node: TestNode;
  beforeEach(() => {
    space = namespace("br0");
    node = testNode(space);
  });

  test("runs with a disk and a NIC from its start to its shutdown, and leaves nothing behind", async () => {
    const instance = machine({ disks: [node.disk("a"), node.disk("b")], nics: [bridgedNic()] });
    const begun = performance.now();
    await node.start(instance);
    console.log(`instance_start: ${Math.round(performance.now() - begun)} ms`);
    expect(await node.names()).toEqual([instance.name]);
    expect(await node.status()).toBe("running");
    const asked = { name: instance.name, hypervisor: { name: "kvm", hvparams: {} } };
    expect(await node.calls.instance_info(asked, noSignal)).toMatchObject({
      memoryMib: 64,
      vcpus: 1,
    });
    const tap = readFileSync(join(node.files.of(instance.name).nics, "0"), "utf8");
    const link = space.run("ip", "-o", "link", "show", "dev", tap);
    expect(link).toMatch(/mtu 1450 .* master br0 .* link\/ether fe(:[0-9a-f]{2}){5} /);
    await node.start(instance);
    await node.stop(instance);
    expect(await node.names()).toEqual([]);
    expect(space.taps()).toEqual([]);
    const own = node.files.of(instance.name);
    for (const path of [own.pid, own.runtime, own.qmp, own.monitor, own.nics, own.watch]) {
      expect(existsSync(path), path).toBe(false);
    }
    expect(existsSync(join(node.context.paths.run, "instance-disks", `${instance.name}:0`))).toBe(
      false,
    );
  });

  test("an instance that ignores a shutdown request is ended by force", async () => {
    await node.start();
    await node.stop(machine(), 1);
    expect(await node.names()).toEqual([]);
    expect(node.warnings.join()).toContain(
      "Shutdown of 'web.example.com' unsuccessful, forcing it",
    );
  });

  test("an instance that has died is started again, and its old interface is gone", async () => {
    const instance = machine({ nics: [bridgedNic()] });
    await node.start(instance);
    process.kill(await node.pid(), "SIGKILL");
    await expect.poll(() => node.names()).toEqual([]);
    await node.start(instance);
    expect(space.taps()).toHaveLength(1);
  });

  test("soft and hard reboots give it another process with the same words", async () => {
    const instance = machine({ disks: [node.disk("a")] });
    await node.start(instance);
    const words = readFileSync(node.files.of(instance.name).runtime, "utf8");
    let before = await node.pid();
    for (const type of ["soft", "hard"] as const) {
      await node.reboot(instance, type);
      const after = await node.pid();
      expect(after).not.toBe(before);
      expect(await node.status()).toBe("running");
      expect(readFileSync(node.files.of(instance.name).runtime, "utf8")).toBe(words);
      before = after;
    }
  });

  test("the error of a failed start contains the last lines of QEMU's log, but not those of an earlier start", async () => {
    const log = node.files.of("web.example.com").log;
    const failing = machine({ hvparams: { kvm_extra: "-device no-such-device" } });
    await expect(node.start(failing)).rejects.toThrow(
      new RegExp(`exited with exit code 1 \\(\\), last lines in ${log}:\n.*no-such-device`),
    );
    const early = machine({ hvparams: { kvm_extra: "-no-such-option" } });
    await expect(node.start(early)).rejects.not.toThrow("no-such-device");
  });

  test("a NIC with vhost_net works without vhost in the kernel, and a warning is logged", async () => {
    const instance = machine({ nics: [bridgedNic()], hvparams: { vhost_net: true } });
    await node.start(instance);
    expect(await node.status()).toBe("running");
    const isLogged = node.warnings.some((line) => line.includes("vhost_net is set but not used"));
    expect(isLogged).toBe(!existsSync("/dev/vhost-net"));
  });

  test("a failed start leaves no process, file, interface or user id behind", async () => {
    node.ssconf("uid_pool", "65534\n");
    const instance = machine({
      nics: [bridgedNic()],
      hvparams: { kvm_extra: "-no-such-option", security_model: "pool" },
    });
    await expect(node.start(instance)).rejects.toThrow(
      /Hypervisor error: Failed to start instance web.example.com: exited with exit code 1 \(.*no-such-option/s,
    );
    const late = machine({ nics: [bridgedNic()], hvparams: { cpu_mask: "0:0:0" } });
    await expect(node.start(late)).rejects.toThrow("Number of CPU masks (3)");
    expect(await node.names()).toEqual([]);
    expect(space.taps()).toEqual([]);
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
    await node.calls.instance_start({ instance, startupPaused: true, reason: [] }, noSignal);
    expect(await node.status()).toBe("prelaunch");
    const cpus = (await node.qmp("query-cpus-fast")) as { "thread-id": number }[];
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
    await node.start(one);
    // The new daemon finds files and processes, but no locks.
    await node.daemon().start(two);
    const ids = await Promise.all(
      [one, two].map(async ({ name }) => {
        const pid = await node.pid(name);
        return /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
      }),
    );
    expect(new Set(ids).size).toBe(2);
    expect(["1", "2", "65534"]).toEqual(expect.arrayContaining(ids as string[]));
    await node.stop(one);
    await node.stop(two);
    expect(readdirSync(join(node.context.paths.run, "uid-pool"))).toEqual([]);
  });

  test("a display requires its password, which is in no command line", async () => {
    const file = join(node.context.paths.conf, "vnc-password");
    writeFileSync(file, "se-cret\n\n");
    const instance = machine({
      network_port: 5999,
      hvparams: { vnc_bind_address: "127.0.0.1", vnc_password_file: file },
    });
    await node.start(instance);
    const vnc = await node.qmp("query-vnc");
    expect(vnc).toMatchObject({ enabled: true, auth: "vnc", service: "5999" });
    const pid = await node.pid();
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8");
    expect(words.split("\0")).toContain("127.0.0.1:99,password");
    expect(words).not.toContain("se-cret");
    writeFileSync(file, "a\nb\n");
    await node.stop(instance);
    await expect(node.start(instance)).rejects.toThrow("it must have one line, not 2");
  });

  test("password files of displays that an instance does not have do not keep it from starting", async () => {
    const file = join(node.context.paths.conf, "password");
    writeFileSync(file, "se-cret\n");
    await node.start(machine({ hvparams: { vnc_password_file: file, spice_password_file: file } }));
    expect(await node.status()).toBe("running");
  });

  test("QEMU runs in its chroot directory, which is removed with the instance", async () => {
    const instance = machine({ hvparams: { use_chroot: true, disk_type: "ide" } });
    await node.start(instance);
    const pid = await node.pid();
    const { chroot } = node.files.of(instance.name);
    expect(readlinkSync(join("/proc", String(pid), "root"))).toBe(chroot);
    await node.stop(instance);
    expect(existsSync(chroot)).toBe(false);
  });

  test("a migrated instance runs on the other node with its disk, and its files are there", async () => {
    const target = testNode(space);
    const instance = machine({
      disks: [node.disk("a")],
      nics: [bridgedNic()],
      hvparams: { migration_caps: "xbzrle" },
    });
    await node.start(instance);
    await target.disks.attach(instance);
    const info = await node.migrationInfo(instance);
    await target.accept(instance, info);
    await target.accept(instance, info);
    expect(await target.status()).toBe("inmigrate");
    await node.migrate(instance);
    const look = () => node.calls.instance_get_migration_status({ instance }, noSignal);
    await expect.poll(async () => (await look()).status, { timeout: 60_000 }).toBe("completed");
    expect((await look()).totalMib).toBeGreaterThan(60);
    await node.endOut(instance, true);
    await target.endIn(instance, info, true);
    expect([await node.names(), await target.names()]).toEqual([[], [instance.name]]);
    expect(await target.status()).toBe("running");
    expect(existsSync(target.files.of(instance.name).runtime)).toBe(true);
    await target.reboot(instance, "soft");
    expect(await target.names()).toEqual([instance.name]);
  });

  test("migration and hotplug follow the running instance, whatever has been modified since its start", async () => {
    const target = testNode(space);
    const running = machine({
      nics: [bridgedNic()],
      hvparams: {
        ...{ cpu_mask: "0:0", vnc_password_file: "", use_chroot: false, keymap: "" },
        ...{ vhost_net: false, virtio_net_queues: 1, security_domain: "" },
      },
      beparams: { minmem: 64, maxmem: 64, vcpus: 2 },
    });
    await node.start(running);
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
    const device = bridgedNic("88888888-8888-7777-6666-555555555555");
    await node.calls.hotplug_device(
      { instance, action: "add", what: { type: "nic", device, index: 1 } },
      noSignal,
    );
    const info = await migrate(instance, node, target);
    await expect.poll(() => node.migrationStatus(instance)).toBe("completed");
    await node.endOut(instance, true);
    await target.endIn(instance, info, true);
    expect(await target.status()).toBe("running");
    const found = await processOf(target.files, instance.name);
    expect(found).toMatchObject({ memoryMib: 64, vcpus: 2 });
  });

  test("a migrated instance can be migrated back, even after a cancelled attempt", async () => {
    const target = testNode(space);
    const instance = machine({});
    await node.start(instance);
    const moved = async (from: TestNode, to: TestNode) => {
      const info = await migrate(instance, from, to);
      await expect.poll(() => from.migrationStatus(instance)).toBe("completed");
      await from.endOut(instance, true);
      await to.endIn(instance, info, true);
      await expect.poll(() => to.status()).toBe("running");
      expect([await from.names(), await to.names()]).toEqual([[], [instance.name]]);
    };
    expect(await node.migrationStatus(instance)).toBe("failed");
    await moved(node, target);
    // No outgoing migration has begun here, although QEMU reports the incoming one as completed.
    expect(await target.migrationStatus(instance)).toBe("failed");
    const slow = machine({ hvparams: { migration_bandwidth: 1 } });
    const info = await migrate(slow, target, node);
    await target.qmp("migrate_cancel");
    await expect.poll(() => target.migrationStatus(instance)).toBe("cancelled");
    await node.endIn(instance, info, false);
    await target.endOut(instance, false);
    expect(await target.status()).toBe("running");
    await moved(target, node);
  });

  test("after a failed migration the instance keeps running at its source and nothing is left at the target", async () => {
    const target = testNode(space);
    const instance = machine({ nics: [bridgedNic()] });
    await node.start(instance);
    const info = await node.migrationInfo(instance);
    await target.accept(instance, info);
    process.kill(await target.pid(), "SIGKILL");
    await node.migrate(instance, false);
    await expect.poll(() => node.migrationStatus(instance)).toBe("failed");
    await target.endIn(instance, info, false);
    await node.endOut(instance, false, false);
    expect(await node.status()).toBe("running");
    expect(await target.names()).toEqual([]);
    expect(space.taps()).toHaveLength(1);
  });

  test("after a complete transfer whose target has died the instance continues at its source", async () => {
    const target = testNode(space);
    const instance = machine({ disks: [node.disk("a")] });
    await node.start(instance);
    await target.disks.attach(instance);
    await migrate(instance, node, target);
    await expect.poll(() => node.migrationStatus(instance)).toBe("completed");
    expect(await node.status()).toBe("postmigrate");
    const pid = await target.pid();
    process.kill(pid, "SIGKILL");
    // It holds the lock of the disk until it ends.
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
    await node.endOut(instance, false, false);
    expect(await node.status()).toBe("running");
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
      await node.start(instance);
      await node.calls.hotplug_supported({ instance }, noSignal);
      const device = node.disk("b");
      const link = device.logical_id[1] as string;
      await node.hotAdd(instance, { type: "disk", device, index: 1, extra: { link, uri: null } });
      await node.hotAdd(instance, { type: "nic", device: bridgedNic(), index: 0 });
      const { disks, nics } = readRuntime(
        readFileSync(node.files.of(instance.name).runtime, "utf8"),
      );
      expect(disks.map(({ disk }) => disk.hvinfo.addr)).toEqual(["0xc", "0xd"]);
      expect(nics.map(({ hvinfo }) => hvinfo.addr)).toEqual(["0xe"]);
      const ids = async () =>
        JSON.stringify(await node.qmp("query-pci")).match(/"(disk|nic)-[^"]+"/g);
      expect(await ids()).toHaveLength(3);
      await node.reboot(instance, "soft");
      expect(await ids()).toHaveLength(3);
    },
  );

  test("hotplug of a disk that is missing or read-only fails with the reason and changes nothing", async () => {
    const instance = machine();
    await node.start(instance);
    const before = readFileSync(node.files.of(instance.name).runtime, "utf8");
    const device = node.disk("b");
    const extra = { link: "/missing", uri: null };
    await expect(
      node.calls.hotplug_device(
        { instance, action: "add", what: { type: "disk", device, index: 0, extra } },
        noSignal,
      ),
    ).rejects.toThrow(/^Cannot hot-add disk: .*No such file/);
    const confined = { ...instance, hvparams: { ...instance.hvparams, use_chroot: true } };
    const what = { type: "disk" as const, device, index: 0, extra };
    await expect(node.hotAdd(confined, what)).rejects.toThrow(
      /^Cannot hot-add disk: Cannot open \/missing: No such file/,
    );
    const withoutPython = node.daemon(lacking(node.context.run, "python3"));
    await expect(withoutPython.hotAdd(confined, what)).rejects.toThrow(
      /^Cannot hot-add disk: Devices of a confined QEMU need python3: .*not found/,
    );
    const readOnly = {
      type: "disk" as const,
      device: { ...device, mode: "ro" as const },
      index: 0,
    };
    const added = { ...readOnly, extra: { link: device.logical_id[1] as string, uri: null } };
    await expect(
      node.calls.hotplug_device({ instance, action: "add", what: added }, noSignal),
    ).rejects.toThrow(/^Cannot hot-add disk: Instance has read-only disks/);
    expect(readFileSync(node.files.of(instance.name).runtime, "utf8")).toBe(before);
  });

  test("QEMU with emulation passes the accelerator probe, and another program does not", async () => {
    expect(await acceleratorWorks(node.context, qemu, "tcg")).toBe(true);
    expect(await acceleratorWorks(node.context, "/bin/true", "kvm")).toBe(false);
  });
});
