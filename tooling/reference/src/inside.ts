// Programs inside the namespaces of a bench: run to their end, or started in parallel to the
// caller.
import { type ChildProcess, spawn } from "node:child_process";
import { programPath, type ReferenceNode } from "./layout.js";

/** How a program ended. */
export interface Outcome {
  /** Exit status; `null` if a signal ended it. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** The node on which the program runs; the master by default. */
  readonly node?: ReferenceNode;
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Command line that runs a program as on `node`, inside the bench whose init process is `pid`. */
function insideCommand(
  pid: number,
  node: ReferenceNode,
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): readonly string[] {
  const variables = {
    PATH: programPath,
    HOME: "/srv/home",
    LC_ALL: "C.UTF-8",
    TZ: "UTC",
    GANETI_ROOTDIR: node.insideRoot,
    GANETI_HOSTNAME: node.name,
    ...environment,
  };
  return [
    "nsenter",
    `--target=${pid}`,
    ...["--mount", "--net", "--pid", "--ipc"],
    "env",
    "-i",
    ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
    ...command,
  ];
}

/** Starts a program inside the bench. It ends when the returned process is ended, whatever the signal. */
export function spawnInside(
  pid: number,
  node: ReferenceNode,
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): ChildProcess {
  // nsenter waits for a child in the other process namespace, and passes no signal on to it.
  const tied = ["setpriv", "--pdeathsig", "TERM", "--", ...command];
  const [program = "", ...args] = insideCommand(pid, node, tied, environment);
  return spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] });
}

/** Runs a program inside the bench to its end. */
export function runInside(
  pid: number,
  node: ReferenceNode,
  command: readonly string[],
  { input = "", environment = {} }: Omit<RunOptions, "node"> = {},
): Promise<Outcome> {
  const [program = "", ...args] = insideCommand(pid, node, command, environment);
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] });
    const texts = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (text: string) => {
        texts[name] += text;
      });
    }
    // A program that does not read its input closes it.
    child.stdin.on("error", () => {}).end(input);
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, ...texts }));
    // A daemon that the program started may keep its output open for good.
    child.on("exit", (status) => setTimeout(() => resolve({ status, ...texts }), 2000).unref());
  });
}

/** `outcome` itself if the program succeeded; an error with its output otherwise. */
export function mustSucceed(command: readonly string[], outcome: Outcome): Outcome {
  if (outcome.status === 0) return outcome;
  const output = `${outcome.stdout}${outcome.stderr}`.trim();
  throw new Error(`${command.join(" ")}: exit ${outcome.status}: ${output}`);
}
