/** Paths of files and sockets of instances under KVM, the same as Ganeti's. */
import { join } from "node:path";
import type { NodeContext } from "../../context.js";
import { NodeFailure } from "../../failure.js";
import { asFileName } from "../state-files.js";

/** The kernel's limit for the path of a socket, without its final zero. */
const socketPathMax = 107;

export interface InstanceFiles {
  readonly pid: string;
  /** Id taken from the pool of user ids, in decimal. */
  readonly uid: string;
  /** Sockets: human monitor, serial console, QMP, guest agent, QMP of the power-off watch. */
  readonly monitor: string;
  readonly serial: string;
  readonly qmp: string;
  readonly guestAgent: string;
  readonly watch: string;
  /** Exists if the guest has powered itself off. */
  readonly shutdownMark: string;
  readonly runtime: string;
  /** Directory with a file per NIC that contains the name of its interface. */
  readonly nics: string;
  readonly chroot: string;
  readonly log: string;
}

export interface KvmFiles {
  readonly pids: string;
  readonly uids: string;
  readonly control: string;
  readonly runtimes: string;
  readonly nics: string;
  readonly chroots: string;
  readonly quarantine: string;
  readonly logs: string;
  /** Rejects names that cannot be part of a path. */
  of(instance: string): InstanceFiles;
}

export function kvmFiles({ paths }: Pick<NodeContext, "paths">): KvmFiles {
  const at = (name: string): string => join(paths.run, "kvm-hypervisor", name);
  const folders = {
    pids: at("pid"),
    uids: at("uid"),
    control: at("ctrl"),
    runtimes: at("conf"),
    nics: at("nic"),
    chroots: at("chroot"),
    quarantine: at("chroot-quarantine"),
    logs: join(paths.log, "kvm"),
  };
  return {
    ...folders,
    of(instance) {
      const name = asFileName(instance);
      const control = (kind: string): string => join(folders.control, `${name}.${kind}`);
      return {
        pid: join(folders.pids, name),
        uid: join(folders.uids, name),
        monitor: control("monitor"),
        serial: control("serial"),
        qmp: control("qmp"),
        guestAgent: control("qga"),
        watch: control("kvmd"),
        shutdownMark: control("shutdown"),
        runtime: join(folders.runtimes, `${name}.runtime`),
        nics: join(folders.nics, name),
        chroot: join(folders.chroots, name),
        log: join(folders.logs, `${name}.log`),
      };
    },
  };
}

/** Rejects names with which socket paths are too long; QEMU's own error would not name the cause. */
export function checkSocketPaths({ monitor }: InstanceFiles): void {
  const length = Buffer.byteLength(monitor);
  if (length <= socketPathMax) return;
  throw new NodeFailure(
    `The path of the monitor socket has ${length} bytes, the system's limit is ${socketPathMax}: ${monitor}`,
  );
}
