/** serve: one node daemon from its options to a listening server. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createNodeRpcServer, type NodeRpcServer } from "@ganeti-ts/node-rpc";
import { secureRandom, systemClock } from "@ganeti-ts/protocol";
import { daemonBackend } from "../backend.js";
import type { DaemonLog, NodeContext } from "../context.js";
import { hostCalls } from "../host/calls.js";
import { ssconfReader } from "../host/ssconf.js";
import { instanceCalls } from "../hypervisor/calls.js";
import { hypervisorChecks } from "../hypervisor/checks.js";
import { type Hypervisors, hypervisors } from "../hypervisor/hypervisors.js";
import { type NodePaths, nodePaths } from "../machine/paths.js";
import { systemRunner } from "../machine/system-runner.js";
import { storageCalls } from "../storage/calls.js";
import { storageChecks } from "../storage/checks.js";
import { acceptedDigests } from "./candidates.js";
import type { Options } from "./options.js";

/** Rejects if the certificates cannot be read or the port is in use. */
export async function serve(
  options: Options,
  log: DaemonLog,
  paths: NodePaths = nodePaths(options.root),
): Promise<NodeRpcServer> {
  const pem = readFileSync(join(paths.data, "server.pem"), "utf8");
  const context: NodeContext = {
    run: systemRunner(log.debug),
    paths,
    clock: systemClock,
    random: secureRandom,
    log,
    nodeName: options.nodeName,
    ssconf: ssconfReader(paths.data),
  };
  const { byName, kvm } = hypervisors(context);
  const server = await createNodeRpcServer({
    clusterCertificate: pem,
    clusterKey: pem,
    acceptedDigests: acceptedDigests(paths.data),
    nodes: daemonBackend(allCalls(context, byName), log),
    node: options.nodeName,
    lease: "node-rpc",
    host: options.address,
    port: options.port,
  });
  await kvm.watchRunning();
  return {
    port: server.port,
    close() {
      kvm.close();
      return server.close();
    },
  };
}

/** The calls of every area. */
function allCalls(context: NodeContext, table: Hypervisors) {
  return {
    ...hostCalls(context, { ...storageChecks(context), ...hypervisorChecks(table) }),
    ...storageCalls(context),
    ...instanceCalls(context, table),
  };
}
