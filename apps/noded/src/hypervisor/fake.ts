/** Fake hypervisor: a running instance is a file of three lines: id, memory and vcpus. */
import { join } from "node:path";
import type {
  Console,
  ConsoleRequest,
  InstanceOnNode,
  RunningInstance,
} from "@ganeti-ts/node-calls";
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import { machineFigures, startMemoryMib } from "./figures.js";
import type { Hypervisor } from "./hypervisor.js";
import {
  asFileName,
  exists,
  folderFault,
  makeFolder,
  namesIn,
  readIfThere,
  removeIfThere,
  replaceFile,
} from "./state-files.js";

/** Uses Ganeti's files, so that each of the two daemons sees the instances that the other one has started. */
export function fakeHypervisor({ paths, log }: Pick<NodeContext, "paths" | "log">): Hypervisor {
  const folder = join(paths.run, "fake-hypervisor");
  const state = fakeState(folder);
  const { fileOf, markUp } = state;
  return {
    ...looks(state, folder),
    async start(instance) {
      if (await exists(fileOf(instance.name))) {
        throw new NodeFailure(`Failed to start instance ${instance.name}: already running`);
      }
      await markUp(instance);
    },
    async stop({ name }) {
      if (!(await exists(fileOf(name)))) {
        throw new NodeFailure(`Failed to stop instance ${name}: not running`);
      }
      await removeIfThere(fileOf(name));
    },
    cleanUp: async () => {},
    reboot: async () => {},
    async balloon(instance, memoryMib) {
      if (!(await exists(fileOf(instance.name)))) {
        throw new NodeFailure(`Failed to balloon memory for ${instance.name}: not running`);
      }
      await markUp(instance, memoryMib);
    },
    migration: {
      info: async () => "",
      async accept({ name }) {
        if (await exists(fileOf(name))) {
          throw new NodeFailure("Can't accept instance, already running");
        }
      },
      begin: async ({ name }, target, isLive) =>
        log.info(`Migrating ${name} to ${target}${isLive ? "" : " (not live)"}`),
      status: async () => ({ status: "completed", transferredMib: null, totalMib: null }),
      async endOnSource({ name }, isSuccess) {
        if (isSuccess) await removeIfThere(fileOf(name));
      },
      endOnTarget: (instance, _info, isSuccess) =>
        isSuccess ? markUp(instance) : removeIfThere(fileOf(instance.name)),
    },
  };
}

type FakeState = ReturnType<typeof fakeState>;

const looks = ({ list, info, all, figures }: FakeState, folder: string) => ({
  list,
  info,
  all,
  figures,
  console: async ({ instance }: ConsoleRequest): Promise<Console> => ({
    instance: String(instance.name),
    kind: "msg",
    message: "Console not available for fake hypervisor",
  }),
  validate: async (): Promise<void> => {},
  fault: () => folderFault(folder),
});

/** Instances as files in `folder`. */
function fakeState(folder: string) {
  const fileOf = (name: string): string => join(folder, asFileName(name));

  const list = (): Promise<readonly string[]> => namesIn(folder);

  async function info(name: string): Promise<RunningInstance | null> {
    const text = await readIfThere(fileOf(name));
    if (text === null) return null;
    const [, memory = "", vcpus = ""] = text.split("\n");
    if (!/^\d+$/.test(memory) || !/^\d+$/.test(vcpus)) {
      throw new NodeFailure(`Failed to list instance ${name}: its file has no memory and vcpus`);
    }
    const running = { state: "running", cpuSeconds: 0, hypervisor: "fake" } as const;
    return { ...running, memoryMib: Number(memory), vcpus: Number(vcpus) };
  }

  async function all(): Promise<Readonly<Record<string, RunningInstance>>> {
    const found: Record<string, RunningInstance> = {};
    for (const name of await list()) {
      const one = await info(name);
      if (one !== null) found[name] = one;
    }
    return found;
  }

  async function figures() {
    const machine = machineFigures();
    const used = Object.values(await all()).reduce((sum, { memoryMib }) => sum + memoryMib, 0);
    return { ...machine, memoryFreeMib: Math.max(0, machine.memoryFreeMib - used) };
  }

  async function markUp(instance: InstanceOnNode, memoryMib?: number): Promise<void> {
    const memory = memoryMib ?? startMemoryMib(instance, await figures());
    await makeFolder(folder, 0o755);
    const lines = ["0", memory, instance.beparams.vcpus];
    await replaceFile(fileOf(instance.name), lines.map((line) => `${line}\n`).join(""));
  }

  return { fileOf, list, info, all, figures, markUp };
}
