/** Nodes for tests with real programs: each has its own folder, and all programs run in one network namespace of the test. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { InstanceOnNode, NodeCallArguments } from "@ganeti-ts/node-calls";
import { anInstance } from "@ganeti-ts/node-calls/conformance";
import { type Json, secureRandom, systemClock } from "@ganeti-ts/protocol";
import { describe, onTestFinished } from "vitest";
import type { NodeContext } from "../src/context.js";
import { programsFolder } from "../src/daemon/recovery.js";
import { ssconfReader } from "../src/host/ssconf.js";
import { instanceCalls } from "../src/hypervisor/calls.js";
import { hypervisors } from "../src/hypervisor/hypervisors.js";
import { instanceDisks } from "../src/hypervisor/instance-disks.js";
import { kvmFiles } from "../src/hypervisor/kvm/files.js";
import { processOf } from "../src/hypervisor/kvm/process.js";
import { withQmp } from "../src/hypervisor/kvm/qmp.js";
import { nodePaths } from "../src/machine/paths.js";
import type { Command, Runner } from "../src/machine/runner.js";
import { systemRunner } from "../src/machine/system-runner.js";
import { diskLinks } from "../src/storage/disk-links.js";
import { diskTypes } from "../src/storage/disk-types.js";
import { noSignal } from "./a-context.js";

export const qemu = "/usr/bin/qemu-system-x86_64";

/** Name of a requirement of these tests that this machine lacks; undefined if it has all. */
export function machinesUnavailable(): string | undefined {
  if (process.getuid?.() !== 0) return "these tests need root";
  return [qemu, "/usr/sbin/ip", "/usr/bin/socat"].find((path) => !existsSync(path));
}

/** Tests that are skipped, with a warning, where real programs are missing. */
export function describeMachines(title: string, tests: () => void): void {
  const problem = machinesUnavailable();
  if (problem !== undefined) console.warn(`SKIPPED: ${problem}`);
  describe.skipIf(problem !== undefined)(title, tests);
}

export interface Namespace {
  readonly name: string;
  /** Directory for disks, shared by all nodes of the namespace. */
  readonly storage: string;
  run(...words: string[]): string;
  /** Interfaces of instances. */
  taps(): readonly string[];
}

/** A namespace that exists until the end of the test, without a bridge or with the bridge br0. */
export function namespace(bridge: "no bridge" | "br0" = "no bridge"): Namespace {
  const name = `noded-${randomBytes(4).toString("hex")}`;
  execFileSync("ip", ["netns", "add", name]);
  const storage = mkdtempSync(join(tmpdir(), "disks-"));
  onTestFinished(() => {
    execFileSync("ip", ["netns", "delete", name]);
    rmSync(storage, { recursive: true });
  });
  const run = (...words: string[]): string =>
    execFileSync("ip", ["netns", "exec", name, ...words], { encoding: "utf8" });
  run("ip", "link", "set", "lo", "up");
  if (bridge === "br0") {
    run("ip", "link", "add", "br0", "type", "bridge");
    run("ip", "link", "set", "br0", "mtu", "1450", "up");
  }
  const taps = () => run("ip", "-o", "link", "show").match(/(?<=: )tap\d+(?=:)/g) ?? [];
  return { name, storage, run, taps };
}

/** Runs every program in the namespace; descriptors are inherited through it. */
const inNamespace = (runner: Runner, name: string): Runner => {
  const moved = <Kind extends Pick<Command, "program" | "args">>(command: Kind): Kind => ({
    ...command,
    program: "ip",
    args: ["netns", "exec", name, command.program, ...command.args],
  });
  return {
    run: (command) => runner.run(moved(command)),
    detach: (command) => runner.detach(moved(command)),
  };
};

/** A daemon that has just started on that node; it has not looked for instances yet. */
function testDaemon(context: NodeContext) {
  const { byName, kvm } = hypervisors(context);
  onTestFinished(() => kvm.close());
  const calls = instanceCalls(context, byName);
  const target = "127.0.0.1";
  return {
    calls,
    kvm,
    names: () => calls.instance_list({ hypervisors: [{ name: "kvm", hvparams: {} }] }, noSignal),
    start: (instance = machine(), startupPaused = false) =>
      calls.instance_start({ instance, startupPaused, reason: [] }, noSignal),
    stop: (instance = machine(), timeoutSeconds = 0) =>
      calls.instance_shutdown({ instance, timeoutSeconds, reason: [] }, noSignal),
    reboot: (instance: InstanceOnNode, type: "soft" | "hard") =>
      calls.instance_reboot({ instance, type, shutdownTimeoutSeconds: 0, reason: [] }, noSignal),
    migrationInfo: (instance: InstanceOnNode) => calls.migration_info({ instance }, noSignal),
    accept: (instance: InstanceOnNode, info: Json) =>
      calls.accept_instance({ instance, info, target }, noSignal),
    migrate: (instance: InstanceOnNode, live = true) =>
      calls.instance_migrate({ instance, clusterName: "c", target, live }, noSignal),
    migrationStatus: async (instance: InstanceOnNode) =>
      (await calls.instance_get_migration_status({ instance }, noSignal)).status,
    hotAdd: (instance: InstanceOnNode, what: NodeCallArguments<"hotplug_device">["what"]) =>
      calls.hotplug_device({ instance, action: "add", what }, noSignal),
    /** Ends a migration at its source. */
    endOut: (instance: InstanceOnNode, success: boolean, live = true) =>
      calls.instance_finalize_migration_src({ instance, success, live }, noSignal),
    /** Ends a migration at its target. */
    endIn: (instance: InstanceOnNode, info: Json, success: boolean) =>
      calls.instance_finalize_migration_dst({ instance, info, success }, noSignal),
  };
}

export type TestDaemon = ReturnType<typeof testDaemon>;

/** Starts a migration, for which the target prepares itself; returns what the source has told the target. */
export async function migrate(instance: InstanceOnNode, from: TestDaemon, to: TestDaemon) {
  const info = await from.migrationInfo(instance);
  await to.accept(instance, info);
  await from.migrate(instance);
  return info;
}

export type TestNode = ReturnType<typeof testNode>;

/** A node with a daemon; both exist until the end of the test. */
export function testNode(space: Namespace) {
  const root = mkdtempSync(join(tmpdir(), "kvm-"));
  const paths = nodePaths(root);
  const { storage } = space;
  for (const folder of [paths.run, paths.log, paths.data, paths.conf]) {
    mkdirSync(folder, { recursive: true });
  }
  writeFileSync(join(paths.conf, "file-storage-paths"), `${storage}\n`);
  const warnings: string[] = [];
  const warn = (text: string): void => void warnings.push(text);
  const context: NodeContext = {
    run: inNamespace(
      systemRunner(() => {}, programsFolder(paths)),
      space.name,
    ),
    paths,
    clock: systemClock,
    random: secureRandom,
    log: { debug() {}, info() {}, warn, error: warn },
    nodeName: "node1.example.com",
    ssconf: ssconfReader(paths.data),
  };
  const files = kvmFiles(context);
  onTestFinished(() => {
    killAll(files.pids);
    rmSync(root, { recursive: true, force: true });
  });
  const daemon = (run: Runner = context.run) => testDaemon({ ...context, run });
  return {
    ...daemon(),
    context,
    warnings,
    files,
    disks: instanceDisks(diskTypes(context), diskLinks(context)),
    /** A daemon that runs its programs through `run`. */
    daemon,
    /** Starts a daemon in the same way as `serve`. */
    async begun(run?: Runner): Promise<TestDaemon> {
      const begun = daemon(run);
      await begun.kvm.takeOver();
      return begun;
    },
    ssconf: (key: string, text: string) => writeFileSync(join(paths.data, `ssconf_${key}`), text),
    /** Makes an empty disk in a file. */
    disk(name: string): InstanceOnNode["disks"][number] {
      const path = join(storage, name);
      writeFileSync(path, Buffer.alloc(1024 * 1024));
      const uuid = `${randomBytes(4).toString("hex")}-2222-3333-4444-555555555555`;
      return { uuid, dev_type: "file", logical_id: ["loop", path], size: 1, mode: "rw" };
    },
    /** Answer of the instance's QEMU. */
    qmp: (command: string, name = "web.example.com") =>
      withQmp(files.of(name).qmp, (qmp) => qmp.execute(command)),
    async status(name?: string): Promise<string> {
      return ((await this.qmp("query-status", name)) as { status: string }).status;
    },
    /** Number of the process of QEMU. */
    async pid(name = "web.example.com"): Promise<number> {
      const found = await processOf(files, name);
      if (found === null) throw new Error(`QEMU does not run for ${name}`);
      return found.pid;
    },
    /** Files of instances, except logs and links to disks, which are active until a shutdown. */
    remains: (): readonly string[] =>
      [files.pids, files.uids, files.runtimes, files.nics, files.control, files.chroots].flatMap(
        entries,
      ),
    /** Kills all instances of the node, as a crash of the host does. */
    endMachines: () => killAll(files.pids),
    /** Empties the run directory, as a reboot does. */
    emptyRun() {
      rmSync(paths.run, { recursive: true });
      mkdirSync(paths.run);
    },
  };
}

/** Paths of what is in a folder, if it exists. */
export const entries = (folder: string): readonly string[] =>
  existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];

/** Kills the processes whose numbers are in the files of the folder. */
export function killAll(folder: string): void {
  for (const path of entries(folder)) {
    try {
      process.kill(Number(readFileSync(path, "utf8")), "SIGKILL");
    } catch {
      // The process has ended already.
    }
  }
}

/** Filled hypervisor parameters for the emulator. */
export const hvparams: InstanceOnNode["hvparams"] = {
  kvm_path: qemu,
  kernel_path: "",
  acpi: true,
  serial_console: true,
  serial_speed: 38400,
  boot_order: "disk",
  disk_type: "paravirtual",
  disk_cache: "default",
  disk_aio: "threads",
  disk_discard: "default",
  nic_type: "paravirtual",
  vnet_hdr: true,
  cpu_mask: "all",
  security_model: "none",
  reboot_behavior: "reboot",
  migration_port: 8102,
  migration_bandwidth: 32,
  migration_downtime: 30,
  kvm_pci_reservations: 12,
};

export const machine = (change: Partial<InstanceOnNode> = {}): InstanceOnNode =>
  anInstance({
    uuid: "aaaaaaaa-2222-3333-4444-555555555555",
    hypervisor: "kvm",
    hvparams: { ...hvparams, ...change.hvparams },
    beparams: { minmem: 64, maxmem: 64, vcpus: 1 },
    ...Object.fromEntries(Object.entries(change).filter(([key]) => key !== "hvparams")),
  });

/** A NIC in the bridge br0. */
export const bridgedNic = (uuid = "99999999-8888-7777-6666-555555555555") => ({
  ...{ uuid, mac: "aa:00:00:11:22:33" },
  nicparams: { mode: "bridged", link: "br0", vlan: "" },
});
