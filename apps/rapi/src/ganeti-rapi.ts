#!/usr/bin/env node
/** The server as a program. */
import { readFileSync } from "node:fs";
import { ForeignChangeError, NewClusterError } from "@ganeti-ts/cluster";
import { createLog, type Log } from "./log.js";
import { LogDestination } from "./log-destination.js";
import { backUp, restore } from "./program/backup.js";
import { dataPath, openDataDirectory } from "./program/data-directory.js";
import { examine, findingLines } from "./program/ganeti/adopt.js";
import { ganetiSite } from "./program/ganeti/site.js";
import {
  type Options,
  readOptions,
  type TwinOptions,
  UsageError,
  usage,
} from "./program/options.js";
import { giveBack, makeOnly, NoClusterError, serve } from "./program/serve.js";
import { NotMasterError, StartError } from "./program/start-error.js";

const stopSignals = ["SIGINT", "SIGTERM"] as const;

async function main(): Promise<number> {
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
    if (options.backup !== undefined || options.restore !== undefined) {
      await copied(options);
      return 0;
    }
    if (options.twin !== undefined) {
      await twinMade(options, options.twin, log);
      return 0;
    }
    if (options.initOnly && options.init !== undefined) {
      await makeOnly(options, options.init, log);
      return 0;
    }
    if (options.check && options.adopt) return await reported(options);
    if (options.handBack) {
      for (const part of await giveBack(options, log)) process.stdout.write(`lost: ${part}\n`);
      return 0;
    }
    return await served(options, log, errors);
  } catch (error) {
    if (!(isRefusal(error) || isSystemError(error))) throw error;
    errors.writeLast(`ganeti-rapi: ${(error as Error).message}\n`);
    return error instanceof NotMasterError || error instanceof ForeignChangeError ? notMaster : 1;
  }
}

/** Exit code of Ganeti's daemons on a node that is not the master. */
const notMaster = 11;

/** Prints what stands against an adoption. Returns the exit code. @throws StartError */
async function reported(options: Options): Promise<number> {
  const { findings } = await examine(ganetiSite(options, process.env), options);
  for (const line of findingLines(findings)) process.stdout.write(`${line}\n`);
  if (findings.refusals.length > 0) return 1;
  process.stdout.write("The cluster can be taken over.\n");
  return 0;
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

/** Makes a twin, and prints what it lacks. @throws StartError, NewClusterError */
async function twinMade(options: Options, twin: TwinOptions, log: Log): Promise<void> {
  const { GANETI_RAPI_USER: user, GANETI_RAPI_PASSWORD: password, GANETI_RAPI_CA } = process.env;
  const access = {
    ...(user && { user }),
    ...(password && { password }),
    ...(GANETI_RAPI_CA && { ca: readFileSync(GANETI_RAPI_CA, "utf8") }),
    verifyCertificate: !twin.insecure,
  };
  const { source, figures } = twin;
  // Loaded on demand: a server that only serves needs no client of the remote API.
  const { makeTwinOnly } = await import("./twin/make-only.js");
  const remarks = await makeTwinOnly(options, { source, figures, access }, log);
  for (const remark of remarks) process.stdout.write(`${remark}\n`);
}

/** Serves until a stop signal, which may arrive before it is ready. Returns the exit code. */
async function served(options: Options, log: Log, errors: LogDestination): Promise<number> {
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
  error instanceof ForeignChangeError ||
  error instanceof NewClusterError;

/** Errors of the operating system, such as a port in use or an unreadable file. */
const isSystemError = (error: unknown): boolean =>
  error instanceof Error && "code" in error && "syscall" in error;

const version = (): string =>
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;

const code = await main();
// Open handles would keep the process alive after a refusal.
if (code === 0) process.exitCode = 0;
else process.exit(code);
