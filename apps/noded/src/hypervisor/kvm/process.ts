/** QEMU processes of instances. */
import { readFile } from "node:fs/promises";
import type { NodeContext } from "../../context.js";
import { waitFor } from "../../machine/wait-for.js";
import { namesIn, readIfThere } from "../state-files.js";
import type { KvmFiles } from "./files.js";

export interface QemuProcess {
  readonly pid: number;
  /** From its command line. */
  readonly memoryMib: number;
  readonly vcpus: number;
}

/** Figures from a NUL-separated command line; null if it belongs to another program. */
export function ownCommand(cmdline: string, name: string): Omit<QemuProcess, "pid"> | null {
  const words = cmdline.split("\0");
  const after = (word: string): string | undefined => {
    const at = words.indexOf(word);
    return at < 0 ? undefined : words[at + 1];
  };
  if (after("-name")?.split(",")[0] !== name) return null;
  return {
    memoryMib: Number.parseInt(after("-m") ?? "0", 10),
    vcpus: Number.parseInt(after("-smp") ?? "0", 10),
  };
}

/** Null unless the process in the pid file runs that instance; the pid may have been reused by another program. */
export async function processOf(files: KvmFiles, name: string): Promise<QemuProcess | null> {
  const pid = Number((await readIfThere(files.of(name).pid))?.trim());
  if (!Number.isSafeInteger(pid) || pid <= 0) return null;
  const cmdline = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  const found = ownCommand(cmdline, name);
  return found && { pid, ...found };
}

/** Names of the running instances. */
export async function runningInstances(files: KvmFiles): Promise<readonly string[]> {
  const names = await namesIn(files.pids);
  const running: string[] = [];
  for (const name of names) if ((await processOf(files, name)) !== null) running.push(name);
  return running;
}

const patience = { everyMs: 50, forMs: 30_000 };

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Sends SIGTERM, and SIGKILL if the process has not ended after 30 s. */
export async function endProcess(
  context: Pick<NodeContext, "clock">,
  files: KvmFiles,
  name: string,
): Promise<void> {
  for (const kind of ["SIGTERM", "SIGKILL"] as const) {
    const found = await processOf(files, name);
    if (found === null) return;
    signal(found.pid, kind);
    const hasEnded = async (): Promise<boolean> =>
      (await processOf(files, name))?.pid !== found.pid;
    if (await waitFor(context, hasEnded, patience)) return;
  }
}
