/** Server program: its location, cluster creation, start and stop. */
import { type SpawnSyncOptions, type SpawnSyncReturns, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { JsonObject } from "@ganeti-ts/protocol";
import { Ending, prereqError } from "../../errors.js";
import { neighbour } from "../../neighbours.js";

export interface ServerPlace {
  readonly dataDirectory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Gets what the server's program prints while it makes a cluster of real machines. */
  readonly say?: (text: string) => void;
}

const program = "ganeti-rapi";
/** Maximum durations until the server answers, and until its jobs have finished. */
const startMs = 120_000;
/** Another master's machine may be dead: each call to it takes seconds, and the nodes may be asked for a minute. */
const takeOverMs = 180_000;
const stopMs = 90_000;
const lookMs = 50;

/**
 * `GANETI_RAPI_PROGRAM`, or the program next to this package: both are of one scope. @throws Ending
 */
function serverProgram({ env }: ServerPlace): string {
  if (env.GANETI_RAPI_PROGRAM) return env.GANETI_RAPI_PROGRAM;
  // The search path is not used: it may have Ganeti's own program.
  const beside = neighbour("rapi/dist/ganeti-rapi.js");
  if (existsSync(beside)) return beside;
  throw new Ending(
    `There is no ${beside}: install @ganeti-ts/rapi beside this package, or name its program in GANETI_RAPI_PROGRAM.`,
  );
}

/** Runs the server's program to its end; its output is kept unless `stdio` says otherwise. @throws Ending */
const ran = (place: ServerPlace, words: readonly string[], options: SpawnSyncOptions = {}) =>
  spawnSync(process.execPath, [serverProgram(place), ...words, "--data-dir", place.dataDirectory], {
    encoding: "utf8",
    env: place.env as NodeJS.ProcessEnv,
    ...options,
  }) as SpawnSyncReturns<string>;

/** Makes a cluster or a twin; what the program printed. @throws GanetiError, Ending */
function made(place: ServerPlace, words: readonly string[], input?: string): string {
  if (isServed(place.dataDirectory)) throw prereqError(alreadyThere, "wrong_state");
  const ended = ran(place, words, input === undefined ? {} : { input });
  if (ended.status === 0) return ended.stdout;
  const said = failureOf(ended);
  throw prereqError(ownWords(said), said === alreadyThere ? "wrong_state" : "wrong_input");
}

/**
 * Creates the cluster without serving it. @throws GanetiError in the words of the server, Ending
 */
export function makeCluster(
  place: ServerPlace,
  name: string,
  file: JsonObject,
  nodes: "simulated" | "ganeti" = "simulated",
): void {
  const kind = nodes === "ganeti" ? ["--nodes=ganeti"] : [];
  const options = [...kind, `--init=${name}`, "--init-with=-", "--init-only"];
  const printed = made(place, options, JSON.stringify(file));
  if (nodes === "ganeti") place.say?.(printed.trimEnd());
}

/** Runs the server program in the foreground with its options. Resolves with its exit code. @throws Ending */
export async function serveInForeground(
  place: ServerPlace,
  options: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const words = [serverProgram(place), ...options, "--data-dir", place.dataDirectory];
  const child = spawn(process.execPath, words, {
    stdio: "inherit",
    env: place.env as NodeJS.ProcessEnv,
  });
  const stop = () => child.kill("SIGTERM");
  signal.addEventListener("abort", stop);
  // The server must not outlive the command.
  process.once("SIGTERM", stop);
  return new Promise((resolve, reject) => {
    child.on("error", (error) => reject(new Ending(error.message)));
    child.on("exit", (code) => resolve(code ?? 1));
  });
}

export interface TwinWanted {
  readonly source: string;
  readonly figures: string | undefined;
  readonly insecure: boolean;
}

/**
 * Makes a twin without serving it. The place's environment carries user, password and certificate for URLs. Returns
 * what it lacks, in lines for people. @throws GanetiError in the words of the server, Ending
 */
export function makeTwin(
  place: ServerPlace,
  { source, figures, insecure }: TwinWanted,
): readonly string[] {
  const options = [
    `--twin=${source}`,
    ...(figures === undefined ? [] : [`--twin-figures=${figures}`]),
    ...(insecure ? ["--insecure"] : []),
  ];
  return made(place, options)
    .split("\n")
    .filter((line) => line !== "");
}

/** Message of a server's program that failed. @throws Ending if a signal ended it, which then has no message */
function failureOf({ stderr, signal }: SpawnSyncReturns<string>): string {
  if (signal !== null) {
    const hint = signal === "SIGILL" ? ": it needs a processor with SSE4.1" : "";
    throw new Ending(`The server's program was ended by ${signal}${hint}.\n${stderr}`.trimEnd());
  }
  return /^ganeti-rapi: (.*)/ms.exec(stderr)?.[1]?.trim() ?? stderr.trim();
}

/** Removes parts about options of the server's program, which the user did not give. */
const ownWords = (said: string): string =>
  said.replace(/^--init: /, "").replace(/\nTry '.*'\.$/, "");

/** Whether the data directory has a cluster of real machines, which this program can prepare over ssh. */
export const hasRealNodes = (dataDirectory: string): boolean =>
  existsSync(join(dataDirectory, "real-nodes"));

/** Whether the cluster of the data directory was taken over from Ganeti. */
export const isAdopted = (dataDirectory: string): boolean =>
  existsSync(join(dataDirectory, "adopted.json"));

/**
 * Runs a mode of the server's program for one machine; ssh may ask for a password on the terminal.
 * @throws Ending if it fails, after it has printed the reason
 */
export function changeMachine(place: ServerPlace, words: readonly string[]): void {
  const { status } = ran(place, words, { stdio: "inherit" });
  if (status !== 0) throw new Ending("The machine was not changed as wanted, see above.");
}

const alreadyThere = "Cluster is already initialised";

/** Where Ganeti's remote API listens. */
const usualPort = 5080;

interface StartOptions {
  readonly port?: number | undefined;
  /** Where it listens; absent is the server's own choice. */
  readonly address?: string | undefined;
  /** More options of its program. */
  readonly words?: readonly string[];
  /** Begin of the message if it does not start. */
  readonly failure?: string;
  /** Whether it takes the cluster over from another machine first. */
  readonly takesOver?: boolean;
}

export interface Started {
  readonly pid: number;
  readonly log: string;
}

/**
 * Starts the server in the background, and waits until it answers on its socket.
 * @throws Ending with the end of its log if it does not
 */
export async function startServer(
  place: ServerPlace,
  {
    port = usualPort,
    address,
    words: more = [],
    failure = "The cluster is made",
    takesOver,
  }: StartOptions = {},
): Promise<Started> {
  const { dataDirectory, env } = place;
  mkdirSync(dataDirectory, { recursive: true });
  const log = join(dataDirectory, "rapi.log");
  const out = openSync(log, "a", 0o640);
  const where = address === undefined ? [] : ["-b", address];
  const words = [serverProgram(place), "--data-dir", dataDirectory, "-p", String(port), ...where];
  const child = spawn(process.execPath, [...words, ...more], {
    detached: true,
    stdio: ["ignore", out, out],
    env: env as NodeJS.ProcessEnv,
  });
  let ended: string | undefined;
  child.on("error", (error) => {
    ended = error.message;
  });
  child.on("exit", (code, signal) => {
    ended ??= `it ended with ${signal ?? `code ${code}`}`;
  });
  const pidFile = join(dataDirectory, "rapi.pid");
  const maxMs = takesOver ? takeOverMs : startMs;
  const end = Date.now() + maxMs;
  while (ended === undefined && Date.now() < end) {
    if (readPid(pidFile) === child.pid) {
      child.unref();
      return { pid: child.pid as number, log };
    }
    await pause(lookMs);
  }
  const why = ended ?? `it does not answer after ${maxMs / 1000} s`;
  throw new Ending(
    `${failure}, but its server did not start: ${why}.\n${lastLine(log)}\n` +
      `Start it with: ${program} --data-dir=${dataDirectory} -p PORT`,
  );
}

/** Runs the server's program to its end; gives what it printed, without the lines of its log. */
export function runToEnd(
  place: ServerPlace,
  words: readonly string[],
): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = ran(place, words);
  const said = stderr
    .split("\n")
    .flatMap((line) => (line.startsWith("{") ? warningIn(line) : [line]));
  return { status, output: [...stdout.split("\n"), ...said].join("\n") };
}

/** Text of a line of the log that reports a problem. */
function warningIn(line: string): readonly string[] {
  const { level, msg, problem, part, node } = JSON.parse(line) as Readonly<Record<string, unknown>>;
  if (level !== "warn" && level !== "error") return [];
  return [[`WARNING: ${msg}`, part, node, problem].filter((one) => one !== undefined).join(": ")];
}

/** Whether a server of that directory runs. */
export function isServed(dataDirectory: string): boolean {
  const pid = readPid(join(dataDirectory, "rapi.pid"));
  return pid !== undefined && isAlive(pid);
}

const lastLine = (file: string): string =>
  readFileSync(file, "utf8").trimEnd().split("\n").at(-1) ?? "";

/**
 * The data are in the database that the server was started with (`--store`), not in the data
 * directory.
 */
export const isKeptElsewhere = (dataDirectory: string): boolean =>
  existsSync(join(dataDirectory, "rapi.sock")) && !existsSync(join(dataDirectory, "cluster.db"));

function readPid(file: string): number | undefined {
  if (!existsSync(file)) return undefined;
  const pid = Number(readFileSync(file, "utf8"));
  return Number.isInteger(pid) && pid > 0 ? pid : undefined;
}

/** Stops the server of that directory and waits until it is gone. @throws Ending */
export async function stopServer(dataDirectory: string): Promise<void> {
  const pid = readPid(join(dataDirectory, "rapi.pid"));
  if (pid === undefined) {
    throw new Ending(
      `There is no rapi.pid in ${dataDirectory}: stop the server yourself, then remove the directory.`,
    );
  }
  process.kill(pid, "SIGTERM");
  const end = Date.now() + stopMs;
  while (isAlive(pid)) {
    if (Date.now() > end) throw new Ending(`The server, process ${pid}, does not end.`);
    await pause(lookMs);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // A process that has ended keeps its number until its parent takes notice.
  const state = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, "utf8") : "";
  return !/\) Z /.test(state);
}

/** Files of the server about the cluster; users and log stay. */
export function removeCluster(dataDirectory: string): void {
  const database = ["", "-wal", "-shm", ".lock", ".config.lock"].map((end) => `cluster.db${end}`);
  const notes = readdirSync(dataDirectory).filter((name) => /^watcher\..*\.data$/.test(name));
  for (const name of [
    ...database,
    ...notes,
    "nodes",
    "real-nodes",
    "adopted.json",
    "config-data.json",
    "calls-in-flight.jsonl",
    "hmac.key",
    "rapi.pem",
    "rapi.pid",
    "rapi.sock",
    "twin.json",
  ]) {
    rmSync(join(dataDirectory, name), { recursive: true, force: true });
  }
}
