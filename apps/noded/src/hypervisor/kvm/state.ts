/** Running instances under KVM, and their figures. */
import { basename } from "node:path";
import type { RunningInstance } from "@ganeti-ts/node-calls";
import { bytesPerMib } from "@ganeti-ts/protocol";
import { NodeFailure } from "../../failure.js";
import type { Hypervisor } from "../hypervisor.js";
import { exists, namesIn } from "../state-files.js";
import type { KvmFiles } from "./files.js";
import { processOf, type QemuProcess, runningInstances } from "./process.js";
import { withQmp } from "./qmp.js";

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
