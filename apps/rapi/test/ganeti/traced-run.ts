// Runs the operations of operations.json on a bench, by Ganeti's master or by our server, and gives their node calls.

import type { ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { NodeExchange, ReferenceBench } from "@ganeti-ts/reference";
import { ended, type Outcome } from "../luxi/debian.js";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Built programs: the server runs inside the bench, the command line outside, over the server's socket. */
const serverProgram = here("../../dist/ganeti-rapi.js");
const commandFolder = here("../../../gnt/dist/");

export interface Operation {
  readonly name: string;
  /** Words of a command line, without quotes. */
  readonly command: string;
}

export const operations: readonly Operation[] = JSON.parse(
  readFileSync(here("operations.json"), "utf8"),
);

/** Node calls of one operation by node, in their order. */
export interface Trace {
  readonly name: string;
  readonly exit: number | null;
  readonly calls: Readonly<Record<string, readonly string[]>>;
  /** End of what the command printed; not part of a fixture. */
  readonly output?: string;
}

/** Runs one command line, as `gnt-instance list`. */
export type RunCommand = (command: string) => Promise<Outcome>;

export const byOriginal =
  (bench: ReferenceBench): RunCommand =>
  (command) => {
    const [program = "", ...args] = command.split(" ");
    return bench.attempt(program, args);
  };

export interface OwnServer {
  readonly run: RunCommand;
  readonly data: string;
  readonly process: ChildProcess;
  readonly log: () => string;
  /** Kills the server with SIGKILL; its data folder stays. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Our server on the master of the bench, in place of Ganeti's daemons. Resolves when it has the cluster's address.
 * Its data folder is removed when it stops.
 */
export async function ownServer(
  bench: ReferenceBench,
  data = mkdtempSync(join(tmpdir(), "ganeti-nodes-")),
  more: readonly string[] = [],
): Promise<OwnServer> {
  await bench.stopMaster();
  const options = ["--nodes=ganeti", `--data-dir=${data}`, "-p", "0", "--no-ssl", ...more];
  const server = bench.spawn(process.execPath, [serverProgram, ...options]);
  let log = "";
  const ready = new Promise<void>((resolve, reject) => {
    server.stderr?.setEncoding("utf8").on("data", (text: string) => {
      log += text;
      if (log.includes('"ready"') && log.includes("the cluster's address")) resolve();
    });
    server.once("exit", () => reject(new Error(`the server ended: ${log}`)));
  });
  await ready;
  // The spawned program waits for the server, which is in another process namespace.
  const pids = bench.processes().filter((pid) => {
    const words = wordsOf(pid);
    return words[0] === process.execPath && words.includes(serverProgram);
  });
  return {
    data,
    process: server,
    log: () => log,
    run: (command) => runCommand(command, data),
    kill: async () => {
      const ended = new Promise((resolve) => server.once("exit", resolve));
      for (const pid of pids) process.kill(pid, "SIGKILL");
      await ended;
    },
    stop: () =>
      new Promise((resolve) => {
        server.once("exit", () => {
          rmSync(data, { recursive: true });
          resolve();
        });
        server.kill("SIGTERM");
      }),
  };
}

/** Words of the command line of a process; none if it has ended. */
export function wordsOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}

export function runCommand(command: string, data: string): Promise<Outcome> {
  const [program = "", ...args] = command.split(" ");
  const words = [join(commandFolder, `${program}.js`), ...args];
  return ended(process.execPath, words, { ...process.env, GANETI_TS_DATA: data, TZ: "UTC" });
}

/** Runs the operations one after the other; each node call belongs to the last operation that had begun. */
export async function traced(bench: ReferenceBench, run: RunCommand): Promise<readonly Trace[]> {
  const begun: { readonly operation: Operation; readonly at: number; end: Outcome }[] = [];
  const { recording } = await bench.record(async () => {
    for (const operation of operations) {
      const at = Date.now() / 1000;
      const end = await run(operation.command);
      begun.push({ operation, at, end });
    }
  });
  return begun.map(({ operation, at, end }, index) => {
    const until = begun[index + 1]?.at ?? Number.POSITIVE_INFINITY;
    const own = recording.nodeCalls.filter((call) => call.at >= at && call.at < until);
    const output = `${end.stdout}${end.stderr}`.slice(-600);
    return { name: operation.name, exit: end.status, calls: byNode(own), output };
  });
}

function byNode(calls: readonly NodeExchange[]): Trace["calls"] {
  const found: Record<string, string[]> = {};
  for (const call of calls) {
    const node = call.node.split(".")[0] ?? "";
    found[node] ??= [];
    found[node].push(labelOf(call));
  }
  return found;
}

/** The call, with the argument that distinguishes it from others of that name. */
function labelOf({ method, arguments: args }: NodeExchange): string {
  const [first, second] = Array.isArray(args) ? args : [];
  if (method === "hooks_runner") return `${method} ${first} ${second}`;
  if (method === "upload_file_single") return `${method} ${String(first).split("/").at(-1)}`;
  const type = (first as { readonly dev_type?: unknown } | undefined)?.dev_type;
  return typeof type === "string" ? `${method} ${type}` : method;
}
