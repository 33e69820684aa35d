/** Chroot hypervisor: an instance runs while its first disk is mounted and processes use it. */
import { readFile, rmdir, stat } from "node:fs/promises";
import { join, normalize } from "node:path";
import type { Console, ConsoleRequest, RunningInstance } from "@ganeti-ts/node-calls";
import { pause } from "@ganeti-ts/protocol";
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import { mountPoints } from "../machine/mounts.js";
import { outputOf, reasonOf, succeeded } from "../machine/runner.js";
import { machineFigures } from "./figures.js";
import type { Hypervisor } from "./hypervisor.js";
import { sshPort } from "./kvm/console.js";
import { asFileName, exists, folderFault, makeFolder, namesIn } from "./state-files.js";

type Ports = Pick<NodeContext, "run" | "paths" | "clock">;

/** Time (ms) for processes to end after they have been killed. */
const killMs = 2_000;

const running = { hypervisor: "chroot", state: "running", cpuSeconds: 0 } as const;
const figuresOfOne: RunningInstance = { ...running, memoryMib: 0, vcpus: 0 };

export function chrootHypervisor(ports: Ports): Hypervisor {
  const folder = join(ports.paths.run, "chroot-hypervisor");
  const site = chrootSite(ports, folder);
  const refused = async (): Promise<never> => {
    throw new NodeFailure("Migration not supported by the chroot hypervisor");
  };
  return {
    ...site.looks,
    ...lifeOf(ports, site),
    balloon: async () => {},
    migration: {
      ...{ info: refused, accept: refused, begin: refused, status: refused },
      ...{ endOnSource: refused, endOnTarget: refused },
    },
    async console(request: ConsoleRequest): Promise<Console> {
      const instance = String(request.instance.name);
      const root = site.rootOf(instance);
      if (!(await site.isMounted(root))) {
        throw new NodeFailure(`Instance ${instance} is not running`);
      }
      const host = String(request.node.name);
      const command = ["chroot", root];
      return { instance, kind: "ssh", host, port: sshPort(request), user: "root", command };
    },
    validate: async (hvparams) => {
      scriptOf(hvparams);
    },
    fault: () => folderFault(folder),
    figures: async () => machineFigures(),
  };
}

type Site = ReturnType<typeof chrootSite>;

/** Instances as directories below `folder`. */
function chrootSite(ports: Ports, folder: string) {
  const rootOf = (name: string): string => join(folder, asFileName(name));

  async function mountsBelow(root: string): Promise<readonly string[]> {
    const mounts = await readFile(join(ports.paths.proc, "mounts"), "utf8");
    return mountPoints(mounts).filter((place) => place === root || place.startsWith(`${root}/`));
  }
  const isMounted = async (root: string): Promise<boolean> =>
    (await mountsBelow(root)).includes(root);
  const isUsed = async (root: string): Promise<boolean> =>
    succeeded(await ports.run.run({ program: "fuser", args: ["-m", root] }));
  const isAlive = async (root: string): Promise<boolean> =>
    (await isMounted(root)) && (await isUsed(root));

  async function list(): Promise<readonly string[]> {
    const names: string[] = [];
    for (const name of await namesIn(folder)) if (await isAlive(rootOf(name))) names.push(name);
    return names;
  }
  const looks = {
    list,
    info: async (name: string) => ((await isAlive(rootOf(name))) ? figuresOfOne : null),
    all: async () => Object.fromEntries((await list()).map((name) => [name, figuresOfOne])),
  };
  return { rootOf, mountsBelow, isMounted, isAlive, looks };
}

function scriptOf(hvparams: Readonly<Record<string, unknown>>): string {
  const script = hvparams.init_script ?? "/ganeti-chroot";
  const isPlain = typeof script === "string" && /^\/[^\0\n]+$/.test(script);
  if (isPlain && normalize(script) === script) return script;
  throw new NodeFailure(
    `Parameter 'init_script' fails validation: must be an absolute path (current value: '${script}')`,
  );
}

function lifeOf(
  ports: Ports,
  site: Site,
): Pick<Hypervisor, "start" | "stop" | "cleanUp" | "reboot"> {
  const { rootOf, mountsBelow, isMounted, isAlive } = site;
  const run = async (what: string, program: string, ...args: readonly string[]): Promise<void> => {
    const ended = await ports.run.run({ program, args });
    if (!succeeded(ended))
      throw new NodeFailure(`${what}: ${reasonOf(ended)} (${outputOf(ended)})`);
  };

  async function cleanUp(name: string): Promise<void> {
    const root = rootOf(name);
    if (!(await exists(root))) return;
    if (await isAlive(root)) throw new NodeFailure("Processes are still using the chroot");
    const deepestFirst = (await mountsBelow(root)).toSorted((a, b) => b.length - a.length);
    for (const place of deepestFirst) {
      const ended = await ports.run.run({ program: "umount", args: [place] });
      if (succeeded(ended)) continue;
      const users = outputOf(await ports.run.run({ program: "fuser", args: ["-vm", place] }));
      throw new NodeFailure(`Can't umount the chroot dir: ${outputOf(ended)}${users}`);
    }
    // A file in the directory itself does not belong to this hypervisor and stays.
    await rmdir(root).catch((error: NodeJS.ErrnoException) => {
      if (!["ENOENT", "ENOTEMPTY"].includes(error.code ?? "")) throw error;
    });
  }

  return {
    async start({ name, hvparams }, disks) {
      const root = rootOf(name);
      const script = scriptOf(hvparams);
      await makeFolder(root, 0o755);
      if (!(await isMounted(root))) {
        const device = disks[0]?.link;
        if (!device) throw new NodeFailure("The chroot manager needs at least one disk");
        const isFile = (await stat(device)).isFile();
        const options = isFile ? ["-o", "loop"] : [];
        await run("Can't mount the chroot dir", "mount", ...options, device, root);
      }
      try {
        await run("Can't run the chroot start script", "chroot", root, script, "start");
      } catch (error) {
        await cleanUp(name).catch(() => {});
        throw error;
      }
    },
    async stop({ name }, { force, isRepeated, timeoutSeconds }) {
      const root = rootOf(name);
      if (!(await exists(root)) || !(await isAlive(root))) return;
      if (!isRepeated) {
        const words = [String(timeoutSeconds), "chroot", root, "/ganeti-chroot", "stop"];
        await run("Can't run the chroot stop script", "timeout", ...words);
      }
      const kill = (signal: string) =>
        ports.run.run({ program: "fuser", args: ["-k", `-${signal}`, "-m", root] });
      if (!force) {
        await kill("TERM");
        return;
      }
      await kill("KILL");
      await pause(ports.clock, killMs);
      if (await isAlive(root)) {
        throw new NodeFailure("Can't stop the processes using the chroot");
      }
    },
    cleanUp,
    async reboot() {
      throw new NodeFailure("The chroot manager doesn't implement the reboot functionality");
    },
  };
}
