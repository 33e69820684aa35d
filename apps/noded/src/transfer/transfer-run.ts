/** Transfer: runs one end of a transfer and writes its status to a file. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, renameSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { bytesPerMib } from "@ganeti-ts/protocol";
import { descriptors, type TransferSetup, transferCommand } from "./pipeline.js";
import { ProgressMeter, readDdLine, readSocatLine } from "./transfer-lines.js";

export interface TransferRun extends TransferSetup {
  readonly statusFile: string;
  /** Size in MiB, or `fd` if the prefix writes the size in bytes to the descriptor in `EXP_SIZE_FD`. */
  readonly expected?: number | "fd" | undefined;
}

const recentLinesMax = 20;
const statusEveryMs = 5_000;
const signalEveryMs = 5_000;
const killAfterMs = 5_000;
const finalTries = 60;
const finalEveryMs = 1_000;

/** Resolves with the exit status of the program: 0 or 1. */
export class Transfer {
  readonly #run: TransferRun;
  readonly #status: Record<string, unknown> = { recent_output: [], ctime: Date.now() / 1000 };
  readonly #recent: string[] = [];
  readonly #meter = new ProgressMeter();
  readonly #timers: NodeJS.Timeout[] = [];
  #child: ChildProcess | undefined;
  #fault: string | undefined;
  /** Bytes in the last report of dd. */
  #bytes = 0;
  #writtenAt = 0;
  #isStopped = false;

  constructor(run: TransferRun) {
    this.#run = run;
    if (typeof run.expected === "number") this.#meter.expectedMib = run.expected;
  }

  async end(): Promise<0 | 1> {
    if (!this.#write()) return 1;
    try {
      if (this.#isStopped) throw new Error("stopped before the start");
      const [code, signal] = await this.#ended();
      this.#status.exit_status = code ?? 1;
      this.#fault ??= signal ? `Exited due to signal ${signal}` : undefined;
      this.#fault ??= code === 0 ? undefined : `Exited with status ${code}`;
      if (this.#fault === undefined && this.#bytes === 0) {
        this.#status.exit_status = 1;
        this.#fault = "No data was transferred";
      }
    } catch (error) {
      this.#status.exit_status = 1;
      this.#fault = `Unhandled error occurred: ${(error as Error).message}`;
    }
    for (const timer of this.#timers) clearTimeout(timer);
    if (this.#fault !== undefined) this.#status.error_message = this.#fault;
    await this.#writeAtLast();
    return this.#status.exit_status === 0 && this.#fault === undefined ? 0 : 1;
  }

  /** Ends the pipeline; processes that do not end within 5 s are killed. */
  stop(signal: NodeJS.Signals): void {
    this.#isStopped = true;
    this.#kill(signal);
    this.#timers.push(setTimeout(() => this.#kill("SIGKILL"), killAfterMs));
  }

  #ended(): Promise<[number | null, NodeJS.Signals | null]> {
    const args = ["-o", "errexit", "-o", "pipefail", "-c", transferCommand(this.#run)];
    const pipes = ["pipe", "pipe", "pipe", "pipe"] as const;
    const child = spawn("bash", args, {
      cwd: "/",
      env: { ...process.env, LC_ALL: "C", EXP_SIZE_FD: String(descriptors.size) },
      stdio: ["ignore", "ignore", "pipe", ...pipes],
      detached: true,
    });
    this.#child = child;
    const lines = (descriptor: number, take: (line: string) => void): void => {
      createInterface({ input: child.stdio[descriptor] as Readable }).on("line", take);
    };
    lines(2, (line) => {
      note(line);
      this.#remember(line);
    });
    lines(descriptors.socat, (line) => this.#socat(line));
    lines(descriptors.dd, (line) => this.#dd(line));
    lines(descriptors.pid, (line) => this.#askForProgress(Number(line)));
    lines(descriptors.size, (line) => {
      if (/^\d+$/.test(line)) this.#meter.expectedMib = Math.round(Number(line) / bytesPerMib);
    });
    if (this.#run.mode === "import") this.#limitConnection(this.#run.connectTimeoutSeconds);
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => resolve([code, signal]));
    });
  }

  #limitConnection(seconds: number): void {
    const late = (): void => {
      if (this.#status.connected === true) return;
      this.#fault = `Child process didn't establish connection in time (${seconds}s), sending SIGTERM`;
      this.stop("SIGTERM");
    };
    this.#timers.push(setTimeout(late, seconds * 1000));
  }

  #socat(line: string): void {
    const event = readSocatLine(line);
    if (event.kind === "nothing") return;
    if (event.kind === "message") {
      this.#remember(event.text);
      return;
    }
    if (event.kind === "listening") this.#status.listen_port = event.port;
    else this.#status.connected = true;
    this.#write();
  }

  #dd(line: string): void {
    const event = readDdLine(line);
    if (event.kind === "message") this.#remember(event.text);
    if (event.kind !== "progress") return;
    this.#bytes = event.bytes;
    this.#meter.add(performance.now(), event.bytes);
    const progress = this.#meter.progress;
    this.#status.progress_mbytes = progress?.mebibytes;
    this.#status.progress_throughput = progress?.throughput;
    this.#status.progress_percent = progress?.percent;
    this.#status.progress_eta = progress?.etaSeconds;
    this.#write();
  }

  #remember(text: string): void {
    this.#recent.push(text);
    if (this.#recent.length > recentLinesMax) this.#recent.shift();
    this.#status.recent_output = this.#recent;
    if (performance.now() - this.#writtenAt >= statusEveryMs) this.#write();
  }

  /** Sends SIGUSR1, on which dd reports its progress, unless dd has no handler yet: then the signal would end it. */
  #askForProgress(pid: number): void {
    let delayMs = 1_000;
    const ask = (): void => {
      if (handlesUser1(pid)) {
        delayMs = signalEveryMs;
        try {
          process.kill(pid, "SIGUSR1");
        } catch {
          return; // The process has ended.
        }
      }
      this.#timers.push(setTimeout(ask, delayMs));
    };
    this.#timers.push(setTimeout(ask, delayMs));
  }

  #kill(signal: NodeJS.Signals): void {
    if (this.#child?.pid === undefined || this.#child.exitCode !== null) return;
    try {
      process.kill(-this.#child.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }

  /** Writes the final status with retries, because callers wait for it and a full file system may get room again. */
  async #writeAtLast(): Promise<void> {
    for (let tries = finalTries; !this.#write() && tries > 0; tries--) {
      await new Promise((resolve) => setTimeout(resolve, finalEveryMs));
    }
  }

  /** False if the status cannot be written: the file keeps the last one, and the transfer goes on. */
  #write(): boolean {
    this.#writtenAt = performance.now();
    this.#status.mtime = Date.now() / 1000;
    const { statusFile } = this.#run;
    const fresh = `${statusFile}.new`;
    try {
      writeFileSync(fresh, `${JSON.stringify(this.#status)}\n`, { mode: 0o400 });
      renameSync(fresh, statusFile);
      return true;
    } catch (error) {
      rmSync(fresh, { force: true });
      note(`Cannot write ${statusFile}: ${(error as Error).message}`);
      return false;
    }
  }
}

/** Writes a line to the log, which may be on the full file system as well. */
export function note(line: string): void {
  try {
    writeSync(2, `${line}\n`);
  } catch {
    // The transfer matters more than its log.
  }
}

/** Whether the process has a handler for SIGUSR1 (signal 10). */
function handlesUser1(pid: number): boolean {
  try {
    const mask = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return mask !== undefined && (BigInt(`0x${mask}`) & (1n << 9n)) !== 0n;
  } catch {
    return false;
  }
}
