/** KVM hypervisor: instances are QEMU processes, accelerated by the kernel where that works. */
import type { NodeContext } from "../../context.js";
import { taps } from "../../network/taps.js";
import { diskLinks } from "../../storage/disk-links.js";
import { attempt } from "../../storage/failures.js";
import { machineFigures } from "../figures.js";
import type { HvParams, Hypervisor } from "../hypervisor.js";
import { exists } from "../state-files.js";
import { acceleration } from "./accelerator.js";
import { consoleOf, socatProgram } from "./console.js";
import { featureReader } from "./features.js";
import { kvmFiles } from "./files.js";
import { hotplug } from "./hotplug.js";
import { life } from "./life.js";
import { migration } from "./migration.js";
import { text } from "./parameters.js";
import type { KvmPorts } from "./ports.js";
import { powerOffWatch } from "./power-off-watch.js";
import { recoverInstances } from "./recovery.js";
import { state } from "./state.js";
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
      const machine = await machineFigures();
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
