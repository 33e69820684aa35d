/** Start, stop and reboot of instances under KVM, and their memory. */
import type { InstanceOnNode } from "@ganeti-ts/node-calls";
import { bytesPerMib } from "@ganeti-ts/protocol";
import { NodeFailure } from "../../failure.js";
import { waitFor } from "../../machine/wait-for.js";
import type { AttachedDisk, Hypervisor } from "../hypervisor.js";
import { cleanUp } from "./cleanup.js";
import { machineWords } from "./command-line.js";
import { launch } from "./launch.js";
import { spiceAddress, vncAddress } from "./listen-addresses.js";
import { text } from "./parameters.js";
import type { KvmPorts } from "./ports.js";
import { endProcess, processOf } from "./process.js";
import { withQmp } from "./qmp.js";
import { withPresentLinks } from "./relocation.js";
import { hvparamsAtStart, newRuntime, type Runtime } from "./runtime.js";
import { loadRuntime, saveRuntime } from "./runtime-files.js";

/** Time for a guest to shut down by itself before a reboot ends it. */
const rebootPatience = { everyMs: 100, forMs: 2_000 };

type Life = Pick<Hypervisor, "start" | "stop" | "reboot" | "balloon" | "cleanUp">;

export function life(ports: KvmPorts): Life {
  const { context, files } = ports;
  const isAlive = async (name: string): Promise<boolean> => (await processOf(files, name)) !== null;

  const powerDown = (name: string): Promise<void> =>
    withQmp(files.of(name).qmp, async (qmp) => void (await qmp.execute("system_powerdown")));

  return {
    async start(instance, disks, isPaused) {
      const { name } = instance;
      if (await isAlive(name)) {
        throw new NodeFailure(`Failed to start instance ${name}: already running`);
      }
      const runtime = await runtimeOf(ports, instance, disks, isPaused);
      await saveRuntime(ports, name, runtime);
      await launch(ports, { instance, runtime, incoming: null });
    },

    async stop({ name, hvparams }, { force }) {
      if (!(await isAlive(name))) return;
      if (force || hvparams.acpi === false) await endProcess(context, files, name);
      else await powerDown(name);
    },

    async reboot(instance) {
      const { name, hvparams } = instance;
      if (!(await isAlive(name))) {
        throw new NodeFailure(`Failed to reboot instance ${name}: not running`);
      }
      const kept = await loadRuntime(ports, name);
      // Store the parameters and links of the new start.
      const started = { ...kept, hvparams: hvparamsAtStart(hvparams, kept) };
      const runtime = withPresentLinks(started, instance, ports.links);
      if (hvparams.acpi !== false) {
        await powerDown(name);
        await waitFor(context, async () => !(await isAlive(name)), rebootPatience);
      }
      await endProcess(context, files, name);
      await saveRuntime(ports, name, runtime);
      await launch(ports, { instance, runtime, incoming: null });
    },

    balloon: ({ name }, memoryMib) =>
      withQmp(files.of(name).qmp, async (qmp) => {
        await qmp.execute("balloon", { value: memoryMib * bytesPerMib });
      }),

    cleanUp: (name) => cleanUp(ports, name),
  };
}

async function runtimeOf(
  { context, files, features, acceleration }: KvmPorts,
  instance: InstanceOnNode,
  disks: readonly AttachedDisk[],
  isPaused: boolean,
): Promise<Runtime> {
  const { hvparams } = instance;
  const words = machineWords({
    instance,
    isPaused,
    features: await features(text(hvparams, "kvm_path")),
    files: files.of(instance.name),
    accelerator: await acceleration.choose(hvparams),
    vncAddress: await vncAddress(context, hvparams),
    spiceAddress: await spiceAddress(context, hvparams),
    data: context.paths.data,
  });
  return newRuntime(words, instance, disks);
}
