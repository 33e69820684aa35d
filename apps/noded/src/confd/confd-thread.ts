/** startConfdThread: answers configuration queries in their own thread, where reading a large configuration delays no call. */
import { Worker } from "node:worker_threads";
import type { DaemonLog } from "../context.js";
import { ssconfReader } from "../host/ssconf.js";
import { shipped } from "../machine/shipped.js";
import type { RunningConfd } from "./confd-service.js";

/** Settings of the thread. */
export interface ConfdThreadData {
  readonly data: string;
  readonly nodeName: string;
  readonly address: string;
  readonly port: number;
}

/** Resolves when the thread listens. @throws the error of its start, e.g. an address in use */
export async function startConfdThread(
  workerData: ConfdThreadData,
  log: Pick<DaemonLog, "info" | "error">,
): Promise<RunningConfd> {
  const thread = new Worker(shipped("confd.js"), { workerData });
  let ended = false;
  thread.once("exit", () => {
    ended = true;
  });
  await new Promise<void>((resolve, reject) => {
    thread.once("message", () => resolve());
    thread.once("error", reject);
    thread.once("exit", () => reject(new Error("the thread has ended")));
  });
  thread.on("error", (error) => log.error(`configuration queries: ${error.stack}`));
  const { address, port } = workerData;
  const shown = address.includes(":") ? `[${address}]` : address;
  log.info(`configuration queries are answered on ${shown}:${port}`);
  return { hasEnded: () => ended, close: async () => void (await thread.terminate()) };
}

/** The node's primary address; `otherwise` if the node is not listed. */
export async function ownAddress(
  data: string,
  nodeName: string,
  otherwise: string,
): Promise<string> {
  const lines = await ssconfReader(data)("node_primary_ips").catch(() => []);
  const own = lines.find((line) => line.startsWith(`${nodeName} `));
  return own?.slice(nodeName.length + 1) ?? otherwise;
}
