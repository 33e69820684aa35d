/** main: the server as a program, from its command line to its exit code. */

import { readFileSync } from "node:fs";
import { ForeignChangeError, NewClusterError } from "@ganeti-ts/cluster";
import { HaltError, type HaltReason } from "@ganeti-ts/job-queue";
import { MachineError } from "@ganeti-ts/machines";
import { NotMasterError, TakeoverError } from "@ganeti-ts/takeover";
import { createLog, type Log } from "./log.js";
import { LogDestination } from "./log-destination.js";
import { withoutServing } from "./modes.js";
import { UsageError } from "./program/option-words.js";
import { type Options, readOptions } from "./program/options.js";
import { serve } from "./program/serve.js";
import { StartError } from "./program/start-error.js";
import { usage } from "./program/usage.js";
import { stopRequested } from "./stop-requested.js";

export async function main(): Promise<number> {
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
    const done = await withoutServing(options, log);
    if (done !== undefined) return done;
    return await served(options, log, errors);
  } catch (error) {
    if (!(isRefusal(error) || isSystemError(error))) throw error;
    await errors.writeLast(`ganeti-rapi: ${lastWords(error as Error)}\n`);
    return codeOf(error);
  }
}

/** 11 is the code of Ganeti's daemons on a node that is not the master. Units do not start the server again after 11 and 12. */
function codeOf(error: unknown): number {
  if (error instanceof NotMasterError || error instanceof ForeignChangeError) return 11;
  return error instanceof HaltError ? 12 : 1;
}

/** The message, with the remedy where there is one. */
const lastWords = (error: Error): string =>
  error instanceof HaltError ? `${error.message}: ${waysOut[error.reason]}` : error.message;

const waysOut: Readonly<Record<HaltReason, string>> = {
  history:
    "compare gnt-instance list with what runs on the nodes, then start the server with --accept-loss",
  version: "install that version again, or restore a backup that this one has written",
};

/** Serves until a stop signal, which may arrive before it is ready. Returns the exit code. */
async function served(options: Options, log: Log, errors: LogDestination): Promise<number> {
  const unwanted = stopRequested();
  try {
    const server = await serve(options, log, {
      unwanted,
      logFigures: () => errors.figures(),
    });
    // From here on, unexpected errors are logged with their stack.
    process.removeAllListeners("uncaughtException");
    process.on("SIGHUP", () => void server.reload());
    const loss = await Promise.race([aborted(unwanted), server.lost]);
    if (loss !== undefined) {
      const words =
        loss instanceof HaltError
          ? lastWords(loss)
          : `${loss.message}: other servers may have taken over; start it again`;
      await errors.writeLast(`ganeti-rapi: ${words}\n`);
      process.exit(codeOf(loss));
    }
    await server.stop();
    return 0;
  } catch (error) {
    // Pending connections would keep the process alive.
    if (error === unwanted.reason) process.exit(0);
    throw error;
  }
}

/** Resolves when the signal is aborted. */
const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined));
  });

const isRefusal = (error: unknown): boolean =>
  error instanceof UsageError ||
  error instanceof StartError ||
  error instanceof MachineError ||
  error instanceof TakeoverError ||
  error instanceof HaltError ||
  error instanceof ForeignChangeError ||
  error instanceof NewClusterError;

/** Errors of the operating system, such as a port in use or an unreadable file. */
const isSystemError = (error: unknown): boolean =>
  error instanceof Error && "code" in error && "syscall" in error;

const version = (): string =>
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;
