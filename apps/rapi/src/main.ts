/** main: the server as a program, from its command line to its exit code. */
import { readFileSync } from "node:fs";
import { NewClusterError } from "@ganeti-ts/cluster";
import { createLog, type Log } from "./log.js";
import { LogDestination } from "./log-destination.js";
import { backUp, restore } from "./program/backup.js";
import { dataPath, openDataDirectory } from "./program/data-directory.js";
import { changesMachine, type Options, readOptions, UsageError, usage } from "./program/options.js";
import { makeOnly, NoClusterError, serve } from "./program/serve.js";
import { StartError } from "./program/start-error.js";

const stopSignals = ["SIGINT", "SIGTERM"] as const;

/** @param onReady called once the server answers */
export async function main(onReady: () => void): Promise<number> {
  let options: Options | "help" | "version";
  try {
    options = readOptions(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`ganeti-rapi: ${error.message}\nTry 'ganeti-rapi --help'.\n`);
    return 1;
  }
  if (options === "help") process.stdout.write(usage);
  if (options === "version")
    process.stdout.write(`ganeti-rapi (ganeti-ts) ${version()}, API version 2\n`);
  if (typeof options === "string") return 0;
  // Files of the server are readable for its owner alone.
  process.umask(0o077);
  const errors = new LogDestination(process.stderr.fd);
  process.on("exit", () => errors.flushNow());
  const log = createLog(options.debug ? "debug" : "info", errors);
  try {
    if (options.shadow !== undefined) {
      // Loaded on demand: a server that manages a cluster needs no client of the remote API.
      const { shadowed } = await import("./program/other-cluster.js");
      return await shadowed(options, options.shadow, log);
    }
    if (await doneWithoutServing(options, log)) return 0;
    return await served(options, { log, errors, onReady });
  } catch (error) {
    if (!(isRefusal(error) || isSystemError(error))) throw error;
    errors.writeLast(`ganeti-rapi: ${(error as Error).message}\n`);
    return 1;
  }
}

/** Modes that end without a server; false if none of them was asked for. @throws StartError, NewClusterError */
async function doneWithoutServing(options: Options, log: Log): Promise<boolean> {
  if (options.backup !== undefined || options.restore !== undefined) await copied(options);
  else if (options.twin !== undefined) {
    const { twinMade } = await import("./program/other-cluster.js");
    await twinMade(options, options.twin, log);
  } else if (options.initOnly && options.init !== undefined) {
    await makeOnly(options, options.init, log);
  } else if (changesMachine(options)) {
    // Loaded on demand: a server that only serves makes no clusters of machines.
    const { changeMachine } = await import("./program/real/modes.js");
    await changeMachine(options);
  } else return false;
  return true;
}

/** Writes a backup, or brings one back. @throws StartError */
async function copied({ backup, restore: from, dataPath: given }: Options): Promise<void> {
  const directory = openDataDirectory(dataPath(given, process.env));
  if (backup !== undefined) backUp(directory, backup);
  if (from === undefined) return;
  const aside = await restore(directory, from);
  process.stdout.write(`${directory.path} is as it was when ${from} was written.\n`);
  if (aside !== undefined) process.stdout.write(`The database before that is ${aside}.\n`);
  process.stdout.write(
    "Jobs that had not ended are held by a rule: see gnt-filter list, and gnt-cluster verify.\n",
  );
}

/** Serves until a stop signal, which may arrive before it is ready. Returns the exit code. */
async function served(
  options: Options,
  { log, errors, onReady }: { log: Log; errors: LogDestination; onReady: () => void },
): Promise<number> {
  const stop = new AbortController();
  for (const signal of stopSignals) {
    // A second signal skips the graceful stop.
    process.on(signal, () => (stop.signal.aborted ? process.exit(1) : stop.abort()));
  }
  try {
    const server = await serve(options, log, {
      unwanted: stop.signal,
      logFigures: () => errors.figures(),
    });
    onReady();
    process.on("SIGHUP", () => void server.reload());
    const loss = await Promise.race([aborted(stop.signal), server.lost]);
    if (loss !== undefined) {
      errors.writeLast(
        `ganeti-rapi: ${loss.message}: other servers may have taken over; start it again\n`,
      );
      process.exit(1);
    }
    await server.stop();
    return 0;
  } catch (error) {
    // Pending connections would keep the process alive.
    if (error === stop.signal.reason) process.exit(0);
    throw error;
  }
}

/** Resolves when it is. */
const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined));
  });

const isRefusal = (error: unknown): boolean =>
  error instanceof NoClusterError ||
  error instanceof StartError ||
  error instanceof NewClusterError;

/** Errors of the operating system, such as a port in use or an unreadable file. */
const isSystemError = (error: unknown): boolean =>
  error instanceof Error && "code" in error && "syscall" in error;

const version = (): string =>
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;
