/** KVM hypervisor: instances are QEMU processes, accelerated by the kernel where that works. */

import { basename } from "node:path";
import type { RunningInstance } from "@ganeti-ts/node-calls";
import { bytesPerMib } from "@ganeti-ts/protocol";
import type { NodeContext } from "../../context.js";
import { faultOf, NodeFailure } from "../../failure.js";
import { taps } from "../../network/taps.js";
import { diskLinks } from "../../storage/disk-links.js";
import { attempt } from "../../storage/failures.js";
import { machineFigures } from "../figures.js";
import type { HvParams, Hypervisor } from "../hypervisor.js";
import { exists, namesIn } from "../state-files.js";
import { acceleration } from "./accelerator.js";
import { cleanUp } from "./cleanup.js";
import { consoleOf, socatProgram } from "./console.js";
import { featureReader } from "./features.js";
import { type KvmFiles, kvmFiles } from "./files.js";
import { hotplug } from "./hotplug.js";
import { life } from "./life.js";
import { migration } from "./migration.js";
import { text } from "./parameters.js";
import type { KvmPorts } from "./ports.js";
import { powerOffWatch } from "./power-off-watch.js";
import { endProcess, processOf, type QemuProcess, runningInstances } from "./process.js";
import { withQmp } from "./qmp.js";
import { loadRuntime } from "./runtime-files.js";
import { validate } from "./validation.js";

export interface KvmHypervisor extends Hypervisor {
  /**
   * Called at the start of the daemon: cleans up after calls that an earlier daemon left unfinished, and watches the
   * running instances.
   */
  takeOver(): Promise<void>;
  /** Ends background work; instances keep running. */
  close(): void;
}

export function kvmHypervisor(context: NodeContext): KvmHypervisor {
  const files = kvmFiles(context);
  const ports: KvmPorts = {
    context,
    files,
    features: featureReader(context),
    acceleration: acceleration(context),
    taps: taps(context),
    links: diskLinks(context),
    watch: powerOffWatch(context, files),
  };
  return {
    ...state(files),
    ...life(ports),
    migration: migration(ports),
    hotplug: hotplug(ports),
    console: async (request) => consoleOf(files, request),
    validate: (hvparams) => validate(ports, hvparams),
    fault: (hvparams) => fault(hvparams),
    async figures(hvparams) {
      const machine = machineFigures();
      const { version } = await attempt("Unable to get KVM version", () =>
        ports.features(text(hvparams, "kvm_path") || "/usr/bin/kvm"),
      );
      return { ...machine, hypervisorVersion: version };
    },
    async takeOver() {
      await recoverInstances(ports);
      await ports.watch.followAll();
    },
    close: () => ports.watch.close(),
  };
}

async function fault(hvparams: HvParams): Promise<string | null> {
  const program = text(hvparams, "kvm_path") || "/usr/bin/kvm";
  const faults: string[] = [];
  if (!(await exists(program))) faults.push(`The KVM binary ('${program}') does not exist`);
  if (!(await exists(socatProgram))) {
    faults.push(`The socat binary ('${socatProgram}') does not exist`);
  }
  return faults.length === 0 ? null : faults.join("; ");
}

/** Time limit (ms) for a monitor, so that one that does not answer cannot prevent the daemon from starting. */
const recoveryLookMs = 5_000;

/**
 * Removes files and interfaces of instances that do not run, and ends QEMU processes whose start was interrupted before
 * their guest started: they would wait forever and count as running. Marks of guests that powered themselves off stay. A
 * QEMU that waits for a migration stays too, because the source may still connect, and so do links to disks, which are
 * active. Ganeti's daemon leaves interfaces behind when it ends an instance that this one has started.
 */
async function recoverInstances(ports: KvmPorts): Promise<void> {
  const { context, files } = ports;
  for (const name of await knownNames(ports)) {
    const fault = await faultOf(async () => {
      if ((await processOf(files, name)) !== null) {
        if (!(await isUnfinished(ports, name))) return;
        context.log.warn(`${name}: its start was interrupted; ending it`);
        await endProcess(context, files, name);
      } else if (await exists(files.of(name).shutdownMark)) return;
      await cleanUp(ports, name);
    });
    if (fault !== null) context.log.warn(`${name}: its remains could not be removed: ${fault}`);
  }
  await removeUnusedTaps(ports);
}

async function removeUnusedTaps({ context, files, taps }: KvmPorts): Promise<void> {
  const fault = await faultOf(async () => {
    for (const [tap, name] of await taps.unused()) {
      if ((await processOf(files, name)) === null) await taps.remove(tap, name);
    }
  });
  if (fault !== null) context.log.warn(`unused interfaces could not be removed: ${fault}`);
}

/** Names of instances with at least one file. */
async function knownNames({ files }: KvmPorts): Promise<ReadonlySet<string>> {
  const named = await Promise.all([files.pids, files.uids, files.nics, files.chroots].map(namesIn));
  const runtimes = (await namesIn(files.runtimes)).filter((file) => file.endsWith(".runtime"));
  return new Set([...named.flat(), ...runtimes.map((file) => basename(file, ".runtime"))]);
}

/** Whether the guest has not started although it was not meant to start paused. */
async function isUnfinished(ports: KvmPorts, name: string): Promise<boolean> {
  try {
    const { status } = (await withQmp(
      ports.files.of(name).qmp,
      (qmp) => qmp.execute("query-status"),
      recoveryLookMs,
    )) as { readonly status: string };
    return status === "prelaunch" && !(await loadRuntime(ports, name)).words.includes("-S");
  } catch (error) {
    if (error instanceof NodeFailure) return false;
    throw error;
  }
}

/** Time limit (ms) for a monitor, so that one that does not answer cannot delay a list of all instances. */
const lookMs = 2_000;

export function state(files: KvmFiles): Pick<Hypervisor, "list" | "info" | "all"> {
  async function info(name: string): Promise<RunningInstance | null> {
    const found = await processOf(files, name);
    if (found !== null) {
      const figures = await askedFigures(files.of(name).qmp, found);
      return { ...figures, state: "running", cpuSeconds: 0, hypervisor: "kvm" };
    }
    if (!(await exists(files.of(name).shutdownMark))) return null;
    return { memoryMib: 0, vcpus: 0, state: "shutdown", cpuSeconds: 0, hypervisor: "kvm" };
  }
  return {
    list: () => runningInstances(files),
    info,
    async all() {
      const names = (await namesIn(files.runtimes)).flatMap((file) =>
        file.endsWith(".runtime") ? [basename(file, ".runtime")] : [],
      );
      const found: Record<string, RunningInstance> = {};
      for (const name of names) {
        const one = await info(name);
        if (one !== null) found[name] = one;
      }
      return found;
    },
  };
}

/** Figures from QEMU's monitor, or from its command line if the monitor does not answer. */
async function askedFigures(
  socket: string,
  { memoryMib, vcpus }: QemuProcess,
): Promise<Pick<RunningInstance, "memoryMib" | "vcpus">> {
  try {
    return await withQmp(
      socket,
      async (qmp) => {
        const cpus = (await qmp.execute("query-cpus-fast")) as unknown[];
        const { actual } = (await qmp.execute("query-balloon")) as { actual: number };
        return { memoryMib: Math.floor(actual / bytesPerMib), vcpus: cpus.length };
      },
      lookMs,
    );
  } catch (error) {
    if (error instanceof NodeFailure) return { memoryMib, vcpus };
    throw error;
  }
}
