/** The server as a process of its own, which can be killed, asked through its socket. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import type { Json } from "@ganeti-ts/protocol";
import { sendBySocket } from "../by-socket.js";

const program = join(import.meta.dirname, "../../dist/ganeti-rapi.js");

export interface Answer {
  readonly status: number;
  readonly body: Json;
}

export class ServerProcess {
  readonly folder: string;
  readonly #args: readonly string[];
  #child: ChildProcess | undefined;
  #log = "";
  #isPaused = false;

  constructor(folder: string, args: readonly string[]) {
    this.folder = folder;
    this.#args = args;
  }

  /** Resolves when it answers. */
  async start(...more: readonly string[]): Promise<void> {
    const args = ["--data-dir", this.folder, "-p", "0", "--no-ssl", ...this.#args, ...more];
    const child = spawn(process.execPath, [program, ...args], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#child = child;
    this.#isPaused = false;
    await new Promise<void>((resolve, reject) => {
      child.stderr?.on("data", (data) => {
        this.#log = `${this.#log}${data}`.slice(-20_000);
        if (String(data).includes('"ready"')) resolve();
      });
      child.once("exit", (code) => reject(new Error(`the server ended (${code}): ${this.#log}`)));
    });
  }

  get isUp(): boolean {
    const { exitCode = 0, signalCode = null, killed = true } = this.#child ?? {};
    return exitCode === null && signalCode === null && !killed && !this.#isPaused;
  }

  /** Other servers have declared it dead, because it had no processor time to renew its lease. */
  get hasLostItsLease(): boolean {
    const { exitCode = null, killed = true } = this.#child ?? {};
    return exitCode === 1 && !killed && this.#log.includes("other servers may have taken over");
  }

  /** The last part of its output. */
  get log(): string {
    return this.#log;
  }

  /** Suspends the process without its knowledge. */
  pause(): void {
    this.#isPaused = true;
    process.kill(this.#child?.pid as number, "SIGSTOP");
  }

  /** Resumes the process; resolves to its exit code when it has ended. */
  goOn(): Promise<number | null> {
    const child = this.#child as ChildProcess;
    const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
    process.kill(child.pid as number, "SIGCONT");
    return exited;
  }

  /** Exit code of the process when it has ended by itself. */
  ended(): Promise<number | null> {
    return new Promise((resolve) => this.#child?.once("exit", resolve));
  }

  async end(name: "SIGKILL" | "SIGTERM" = "SIGKILL"): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.kill(name);
    await exited;
  }

  /** Rejects if the process does not answer, or is killed in the middle of the answer. */
  async ask(method: string, path: string, body?: unknown): Promise<Answer> {
    const where = { socketPath: join(this.folder, "rapi.sock"), agent: false, timeout: 30_000 };
    const { status, text } = await sendBySocket({ ...where, method, path }, body as Json);
    return { status, body: JSON.parse(text || "null") };
  }
}
