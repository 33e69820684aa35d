import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { createNodeRpcClient } from "@ganeti-ts/node-rpc";
import { MachineError } from "./machine-error.js";

/** Time limit (ms) for the first answer of a new daemon, and the pause between two attempts. */
const waitMs = 20_000;
const pauseMs = 200;

/**
 * Resolves when the daemon at this address answers a caller with the cluster's certificate and the client certificate in the file.
 * @throws MachineError
 */
export async function answers(ip: string, clusterPem: string, clientFile: string): Promise<void> {
  const client = readFileSync(clientFile, "utf8");
  const nodes = createNodeRpcClient({
    ...{ clusterCertificate: clusterPem, clientCertificate: client, clientKey: client },
    connectMs: 1000,
  });
  const uuid = "new";
  await nodes.introduce({ uuid, name: ip, primaryIp: ip, secondaryIp: ip });
  const signal = AbortSignal.timeout(waitMs);
  let problem = "";
  while (!signal.aborted) {
    const answer = await nodes.call(uuid, "version", {}, { lease: "setup", signal });
    if (answer.ok) return;
    problem = answer.message;
    await pause(pauseMs);
  }
  throw new MachineError(
    `the node daemon at ${ip} does not answer: ${problem}; see its log node-daemon.log`,
  );
}
