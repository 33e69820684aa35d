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
import type { InstanceOnNode } from "@ganeti-ts/node-calls";
import { anInstance } from "@ganeti-ts/node-calls/conformance";
import { secureRandom, systemClock } from "@ganeti-ts/protocol";
import type { NodeContext } from "../src/context.js";
import { programsFolder } from "../src/daemon/recovery.js";
import { ssconfReader } from "../src/host/ssconf.js";
import { instanceCalls } from "../src/hypervisor/calls.js";
import { hypervisors } from "../src/hypervisor/hypervisors.js";
import { type InstanceDisks, instanceDisks } from "../src/hypervisor/instance-disks.js";
import { kvmFiles } from "../src/hypervisor/kvm/files.js";
import { nodePaths } from "../src/machine/paths.js";
import type { Command, Runner } from "../src/machine/runner.js";
import { systemRunner } from "../src/machine/system-runner.js";
import { diskLinks } from "../src/storage/disk-links.js";
import { diskTypes } from "../src/storage/disk-types.js";

export const qemu = "/usr/bin/qemu-system-x86_64";

/** Name of a requirement of these tests that this machine lacks; undefined if it has all. */
export function machinesUnavailable(): string | undefined {
  if (process.getuid?.() !== 0) return "these tests need root";
  return [qemu, "/usr/sbin/ip", "/usr/bin/socat"].find((path) => !existsSync(path));
}

export interface Namespace {
  readonly name: string;
  /** Directory for disks, shared by all nodes of the namespace. */
  readonly storage: string;
  run(...words: string[]): string;
  close(): void;
}

export function namespace(): Namespace {
  const name = `noded-${randomBytes(4).toString("hex")}`;
  execFileSync("ip", ["netns", "add", name]);
  const run = (...words: string[]): string =>
    execFileSync("ip", ["netns", "exec", name, ...words], { encoding: "utf8" });
  run("ip", "link", "set", "lo", "up");
  const storage = mkdtempSync(join(tmpdir(), "disks-"));
  return {
    name,
    storage,
    run,
    close() {
      execFileSync("ip", ["netns", "delete", name]);
      rmSync(storage, { recursive: true });
    },
  };
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

export interface TestNode {
  readonly context: NodeContext;
  readonly calls: Required<ReturnType<typeof instanceCalls>>;
  readonly warnings: string[];
  readonly files: ReturnType<typeof kvmFiles>;
  readonly kvm: ReturnType<typeof hypervisors>["kvm"];
  ssconf(key: string, text: string): void;
  /** Makes an empty disk in a file. */
  disk(name: string): InstanceOnNode["disks"][number];
  readonly disks: InstanceDisks;
  /** Kills all instances of the node, as a crash of the host does. */
  endMachines(): void;
  /** Empties the run directory, as a reboot does. */
  emptyRun(): void;
  /** Kills all instances and removes the folder. */
  close(): void;
}

/** Calls of a daemon that has just started on that node. */
export const testCalls = (context: NodeContext): TestNode["calls"] =>
  instanceCalls(context, hypervisors(context).byName) as TestNode["calls"];

export function testNode(space: Namespace): TestNode {
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
  const { byName, kvm } = hypervisors(context);
  const files = kvmFiles(context);
  return {
    context,
    calls: instanceCalls(context, byName) as TestNode["calls"],
    warnings,
    files,
    kvm,
    disks: instanceDisks(diskTypes(context), diskLinks(context)),
    ssconf: (key, text) => writeFileSync(join(paths.data, `ssconf_${key}`), text),
    disk(name) {
      const path = join(storage, name);
      writeFileSync(path, Buffer.alloc(1024 * 1024));
      const uuid = `${randomBytes(4).toString("hex")}-2222-3333-4444-555555555555`;
      return { uuid, dev_type: "file", logical_id: ["loop", path], size: 1, mode: "rw" };
    },
    endMachines: () => killAll(files.pids),
    emptyRun() {
      rmSync(paths.run, { recursive: true });
      mkdirSync(paths.run);
    },
    close() {
      kvm.close();
      killAll(files.pids);
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Kills the processes whose numbers are in the files of the folder. */
function killAll(folder: string): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    try {
      process.kill(Number(readFileSync(join(folder, name), "utf8")), "SIGKILL");
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
