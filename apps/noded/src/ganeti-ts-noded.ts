#!/usr/bin/env -S node --max-semi-space-size=1
/** The node daemon as a program. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "@ganeti-ts/protocol";
import { confdWhileCandidate } from "./confd/confd-service.js";
import { ownAddress, startConfdThread } from "./confd/confd-thread.js";
import { servesQueries } from "./confd/role.js";
import type { NodeContext } from "./context.js";
import { daemonLog, openLogFile } from "./daemon/log.js";
import { type Options, readOptions, UsageError, usage } from "./daemon/options.js";
import { takePidFile } from "./daemon/pid-file.js";
import { serve } from "./daemon/serve.js";
import { NodeFailure } from "./failure.js";
import { ensureDirectories } from "./host/directories.js";
import { usualAddress } from "./host/ssconf.js";
import { nodePaths } from "./machine/paths.js";
import { shipped, shippedFault } from "./machine/shipped.js";
import { systemRunner } from "./machine/system-runner.js";
import { cpuLoadCollector } from "./monitoring/cpu-load.js";
import { serveMonitoring } from "./monitoring/monitoring-server.js";
import { storageHealthCollector } from "./monitoring/storage-health.js";

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
  // Files of the daemon are accessible to their owner only, unless a mode is given.
  process.umask(0o077);
  try {
    return await runDaemon(options);
  } catch (error) {
    const isExpected =
      error instanceof NodeFailure || (error as NodeJS.ErrnoException).code !== undefined;
    if (!isExpected) throw error;
    process.stderr.write(`ganeti-ts-noded: ${(error as Error).message}\n`);
    return 1;
  }
}

/** Serves until a signal arrives or the node has left its cluster. */
async function runDaemon(options: Options): Promise<number> {
  const fault = shippedFault();
  if (fault !== null) throw new NodeFailure(fault);
  const paths = nodePaths(options.root, options.isVirtual);
  const file = openLogFile(join(paths.log, "node-daemon.log"));
  const log = daemonLog((line) => {
    file.write(line);
    process.stderr.write(line);
  }, options.isDebug);
  process.on("SIGHUP", () => file.reopen());
  let leave = (): void => {};
  const stop = new Promise<string>((resolve) => {
    leave = () => resolve("leaving its cluster");
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => resolve(signal));
  });
  const run = systemRunner(log.debug);
  const giveUp = await takePidFile(run, paths, process.pid);
  try {
    if (process.getuid?.() === 0) await ensureDirectories({ run, paths, log });
    const { address = await usualAddress(paths.data) } = options;
    const server = await serve({ ...options, address }, log, { onLeave: leave });
    // From here on an unexpected error goes into the log with its stack.
    process.removeAllListeners("uncaughtException");
    const shown = address.includes(":") ? `[${address}]` : address;
    log.info(`listening on ${shown}:${server.port} as ${options.nodeName}`);
    const monitoring = await monitored({ ...options, address }, { run, paths, log });
    const confd = answeringQueries(options, address, { paths, log });
    log.info(`ended by ${await stop}`);
    await confd?.close();
    await monitoring?.close();
    await server.close();
    return 0;
  } finally {
    giveUp();
    file.close();
  }
}

async function monitored(
  { address, monitoringPort: port }: Options & { readonly address: string },
  machine: Pick<NodeContext, "run" | "paths" | "log">,
) {
  if (port === null) return null;
  const cpuLoad = cpuLoadCollector(systemClock);
  const storage = storageHealthCollector(machine, systemClock);
  const server = await serveMonitoring({ clock: systemClock, cpuLoad, storage }, { address, port });
  return {
    async close() {
      cpuLoad.stop();
      await server.close();
    },
  };
}

/** @param address the daemon's own */
function answeringQueries(
  { address: given, nodeName, confdPort: port }: Options,
  address: string,
  { paths, log }: Pick<NodeContext, "paths" | "log">,
) {
  if (port === 0) return null;
  const { data } = paths;
  return confdWhileCandidate({
    isServed: servesQueries(data, nodeName),
    async start() {
      const own = given ?? (await ownAddress(data, nodeName, address));
      return startConfdThread({ data, nodeName, address: own, port }, log);
    },
    ...{ clock: systemClock, log },
  });
}

const version = (): string =>
  (JSON.parse(readFileSync(shipped("package.json"), "utf8")) as { version: string }).version;

process.exitCode = await main();
