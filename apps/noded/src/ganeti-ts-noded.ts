#!/usr/bin/env node
/** The node daemon as a program. */
import { readFileSync } from "node:fs";
import { daemonLog } from "./daemon/log.js";
import { type Options, readOptions, UsageError, usage } from "./daemon/options.js";
import { serve } from "./daemon/serve.js";

async function main(): Promise<number> {
  let options: Options | "help" | "version";
  try {
    options = readOptions(process.argv.slice(2), process.env);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`ganeti-ts-noded: ${error.message}\nTry 'ganeti-ts-noded --help'.\n`);
    return 1;
  }
  if (options === "help") process.stdout.write(usage);
  if (options === "version") process.stdout.write(`ganeti-ts-noded (ganeti-ts) ${version()}\n`);
  if (typeof options === "string") return 0;
  // Files that the daemon makes are for their owner alone unless a mode is given.
  process.umask(0o077);
  const log = daemonLog((line) => process.stderr.write(line), options.isDebug);
  let leave = (): void => {};
  const stop = new Promise<string>((resolve) => {
    leave = () => resolve("leaving its cluster");
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => resolve(signal));
  });
  try {
    const server = await serve(options, log, { onLeave: leave });
    log.info(`listening on ${options.address}:${server.port} as ${options.nodeName}`);
    log.info(`ended by ${await stop}`);
    await server.close();
    return 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    process.stderr.write(`ganeti-ts-noded: ${(error as Error).message}\n`);
    return 1;
  }
}

const version = (): string =>
  (
    JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
      version: string;
    }
  ).version;

process.exitCode = await main();
