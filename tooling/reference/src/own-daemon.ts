// A node daemon that runs on Node.js, in the place of Ganeti's on one node of a bench.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ReferenceBench } from "./bench.js";
import type { ReferenceNode } from "./layout.js";

const procDrbd = fileURLToPath(new URL("../javascript/proc-drbd.mjs", import.meta.url));

export interface OwnDaemon {
  /** Its messages, those of its debug level included. */
  log(): string;
  /** Ends the daemon and waits for that. Ganeti's does not start by itself. */
  stop(): Promise<void>;
}

export interface OwnDaemonOptions {
  /** Whether it logs each program that it runs; true by default. */
  readonly isDebug?: boolean;
  /** Options of Node.js itself. */
  readonly nodeOptions?: readonly string[];
}

/**
 * Ends Ganeti's node daemon and starts `program` (a file for Node.js) as `-b ADDRESS [-d]` with the environment of the
 * node. Resolves when the program reports that it is listening.
 */
export async function replaceNodeDaemon(
  bench: ReferenceBench,
  node: ReferenceNode,
  program: string,
  { isDebug = true, nodeOptions = [] }: OwnDaemonOptions = {},
): Promise<OwnDaemon> {
  await bench.stopDaemon(node, "ganeti-noded");
  const standIns = existsSync(join(bench.directory, "layer/usr/local/sbin/drbdsetup"))
    ? ["--import", procDrbd]
    : [];
  const options = ["-b", node.address, ...(isDebug ? ["-d"] : [])];
  const words = [...nodeOptions, ...standIns, program, ...options];
  const child = bench.spawn(process.execPath, words, { node });
  let log = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      log += text;
      if (log.includes("listening on")) resolve();
    });
    child.once("exit", () => reject(new Error(`the node daemon ended: ${log}`)));
  });
  const pidFile = join(node.runFolder, "ganeti-ts-noded.pid");
  return {
    log: () => log,
    async stop() {
      child.kill("SIGTERM");
      while (existsSync(pidFile)) await sleep(50);
    },
  };
}
