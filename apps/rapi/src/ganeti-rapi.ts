#!/usr/bin/env node
/** The server as a program. */
import { readFileSync } from "node:fs";
import { createLog } from "./log.js";
import { NewClusterError } from "./program/new-cluster-file.js";
import { type Options, readOptions, UsageError, usage } from "./program/options.js";
import { makeOnly, NoClusterError, serve } from "./program/serve.js";
import { StartError } from "./program/start-error.js";

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
  // Whatever it writes is for its owner alone.
  process.umask(0o077);
  const log = createLog(options.debug ? "debug" : "info");
  try {
    if (options.initOnly && options.init !== undefined) {
      await makeOnly(options, options.init, log);
      return 0;
    }
    const served = await serve(options, log);
    process.on("SIGHUP", () => void served.reload());
    const asked = new Promise<undefined>((resolve) => {
      for (const signal of stopSignals) process.once(signal, () => resolve(undefined));
    });
    const loss = await Promise.race([asked, served.lost]);
    if (loss !== undefined) {
      process.stderr.write(
        `ganeti-rapi: ${loss.message}: other servers may have taken over; start it again\n`,
      );
      process.exit(1);
    }
    // Who asks twice does not want to wait.
    for (const signal of stopSignals) process.once(signal, () => process.exit(1));
    await served.stop();
    return 0;
  } catch (error) {
    if (!(isRefusal(error) || isSystemError(error))) throw error;
    process.stderr.write(`ganeti-rapi: ${(error as Error).message}\n`);
    return 1;
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof NoClusterError ||
  error instanceof StartError ||
  error instanceof NewClusterError;

/** What the machine refuses: a port that is taken, a file that cannot be read. */
const isSystemError = (error: unknown): boolean =>
  error instanceof Error && "code" in error && "syscall" in error;

const version = (): string =>
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;

const code = await main();
// What was open when something was refused would keep the process.
if (code === 0) process.exitCode = 0;
else process.exit(code);
