/** Allocator programs of this machine. */
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AllocatorRun, AllocatorRunner } from "./runner.js";

/** Options of `allocatorPrograms`. */
interface AllocatorProgramsOptions {
  /** Directories; the first one that contains a program of the name is used. */
  readonly searchPath: readonly string[];
  /**
   * Folder for the messages that programs read; created if missing. Default: the system's folder for
   * temporary files.
   */
  readonly folder?: string;
  /** Time limit of a program. Default 15 minutes, as in Ganeti. */
  readonly timeoutMs?: number;
  /** Limit of a program's output. Default 64 MiB. */
  readonly outputBytesMax?: number;
}

const leftoverPrefix = "ganeti-iallocator.";

/** Removes messages that a killed process left in the folder. No program may be running with one. */
export async function removeLeftMessages(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return [];
  });
  for (const name of names) {
    if (name.startsWith(leftoverPrefix)) await rm(join(folder, name), { recursive: true });
  }
}

/** Valid names of plugins, as in Ganeti: they cannot leave the directory. */
const namePattern = /^[a-zA-Z0-9_-]+$/;

/** Runner of the executables in the directories of a search path. */
export function allocatorPrograms({
  searchPath,
  folder: messages = tmpdir(),
  timeoutMs = 15 * 60_000,
  outputBytesMax = 64 * 1024 * 1024,
}: AllocatorProgramsOptions): AllocatorRunner {
  return {
    async find(name) {
      if (!namePattern.test(name)) return undefined;
      for (const directory of searchPath) {
        const path = join(directory, name);
        if (await isFile(path)) return path;
      }
      return undefined;
    },
    async run(path, input, options, signal) {
      await mkdir(messages, { recursive: true, mode: 0o750 });
      const folder = await mkdtemp(join(messages, leftoverPrefix));
      try {
        const file = join(folder, "input");
        await writeFile(file, input, { mode: 0o600 });
        const limits = { timeoutMs, outputBytesMax };
        return await finished(path, [file, ...options], limits, signal);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** `output` is everything that was written; only stdout is the answer. */
function finished(
  path: string,
  parameters: readonly string[],
  limits: { readonly timeoutMs: number; readonly outputBytesMax: number },
  signal: Parameters<AllocatorRunner["run"]>[3],
): Promise<AllocatorRun> {
  return new Promise((resolve) => {
    const stdout: Buffer[] = [];
    const output: Buffer[] = [];
    let bytes = 0;
    let reason: string | undefined;
    const program = spawn(path, parameters, {
      stdio: ["ignore", "pipe", "pipe"],
      // A process group of its own, so that child processes are killed with it.
      detached: true,
      // Answers name groups, tags and nodes: in the locale C, hail cannot write those outside of ASCII.
      env: { PATH: process.env.PATH, LC_ALL: "C.UTF-8" },
    });
    const stop = (why: string) => {
      reason ??= why;
      if (program.pid !== undefined) killGroup(program.pid);
    };
    const timer = setTimeout(
      () => stop(`timeout reached (${limits.timeoutMs / 1000}s)`),
      limits.timeoutMs,
    );
    const onAbort = () => stop("job was cancelled");
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort);
    const take = (chunk: Buffer, isAnswer: boolean) => {
      bytes += chunk.length;
      if (bytes > limits.outputBytesMax) return stop("too much output");
      output.push(chunk);
      if (isAnswer) stdout.push(chunk);
    };
    program.stdout.on("data", (chunk: Buffer) => take(chunk, true));
    program.stderr.on("data", (chunk: Buffer) => take(chunk, false));
    const end = (why: string | undefined) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      const text = Buffer.concat(output).toString();
      resolve(
        why === undefined
          ? { ok: true, stdout: Buffer.concat(stdout).toString() }
          : { ok: false, reason: why, output: text },
      );
    };
    program.on("error", (error) => end(error.message));
    program.on("close", (code, signalName) => {
      if (reason !== undefined) end(reason);
      else if (signalName !== null) end(`terminated by signal ${signalName}`);
      else end(code === 0 ? undefined : `exited with exit code ${code}`);
    });
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The process group has already ended.
  }
}
