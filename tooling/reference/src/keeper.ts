// The process that holds the namespaces of a bench: its start and its end.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { binds, keeperProgram, relayProgram, storageBinds } from "./folder.js";
import { bridge, type ReferenceNode } from "./layout.js";
import type { PackageLayers } from "./packages.js";

/** The processes that stand for a bench, with their ids outside it. */
export interface Keeper {
  /** Ends the bench on a stop signal. */
  readonly keeperPid: number;
  /** First process inside the bench; its namespaces are those of the bench. */
  readonly initPid: number;
}

export interface KeeperOptions {
  readonly directory: string;
  readonly nodes: readonly ReferenceNode[];
  readonly packages: PackageLayers;
  readonly storage: boolean;
  /** Whether the bench ends with this process; else it stays until it is taken down. */
  readonly owned: boolean;
}

/** Path of the socket through which programs outside reach addresses inside the bench. */
export const relaySocket = (directory: string) => join(directory, "shared/relay.sock");

/** Makes the namespaces of a bench whose folder is already written. */
export function startKeeper(options: KeeperOptions): Promise<Keeper> {
  const { directory, nodes, packages, storage, owned } = options;
  const spec = {
    root: directory,
    owner: owned,
    layers: [join(directory, "layer"), ...packages.layers],
    base: packages.base,
    programs: [process.execPath],
    binds: storage ? { ...binds, ...storageBinds } : binds,
    devices: storage,
    bridge,
    addresses: nodes.map(({ address }) => `${address}/24`),
    services: [["/usr/bin/python3", relayProgram, "/srv/reference/relay.sock"]],
  };
  const file = join(directory, "keeper.json");
  writeFileSync(file, JSON.stringify(spec));
  const child = spawn("/usr/bin/python3", ["-I", keeperProgram, file], {
    stdio: [owned ? "pipe" : "ignore", "pipe", "pipe"],
    detached: true,
  });
  return new Promise((resolve, reject) => {
    let said = "";
    const listen = (text: Buffer) => {
      said += text;
      const ready = /^ready (\d+)$/m.exec(said);
      if (ready === null || child.pid === undefined) return;
      child.stdout?.destroy();
      child.stderr?.destroy();
      child.unref();
      resolve({ keeperPid: child.pid, initPid: Number(ready[1]) });
    };
    child.stdout?.on("data", listen);
    child.stderr?.on("data", listen);
    child.on("error", reject);
    child.on("exit", () => reject(new Error(`${said}${logOf(directory)}`.trim())));
  });
}

function logOf(directory: string): string {
  try {
    return readFileSync(join(directory, "bench.log"), "utf8");
  } catch {
    return "";
  }
}

/** Ends a bench with all its processes, and waits until they are gone. */
export async function stopKeeper({ keeperPid, initPid }: Keeper): Promise<void> {
  const namespace = namespaceOf(initPid);
  if (namespace !== undefined) {
    try {
      process.kill(keeperPid, "SIGTERM");
    } catch {
      // The keeper is gone and takes the bench with it.
    }
  }
  while (isAlive(keeperPid) || (namespace !== undefined && membersOf(namespace).length > 0)) {
    await sleep(50);
  }
}

/** Ids, outside the bench, of all processes in the bench whose first one is `initPid`. */
export function processesOf({ initPid }: Pick<Keeper, "initPid">): readonly number[] {
  const namespace = namespaceOf(initPid);
  return namespace === undefined ? [] : membersOf(namespace);
}

/** Name of the process namespace whose init is `pid`; `undefined` if the process is gone. */
export function namespaceOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return undefined;
  }
}

/** Ids of the processes in a process namespace. */
export function membersOf(namespace: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => namespaceOf(pid) === namespace);
}

/** Whether a process runs; one that has ended and is not yet collected does not. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
