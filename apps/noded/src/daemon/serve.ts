/** serve: starts a node daemon with the given options; the result is a listening server. */
import { openSync } from "node:fs";
import { join } from "node:path";
import {
  answered,
  failed,
  type NodeAnswer,
  type NodeBackend,
  type NodeCallArguments,
  type NodeCaller,
  type NodeCallName,
  type NodeCallValue,
} from "@ganeti-ts/node-calls";
import {
  createNodeRpcServer,
  type NodeRpcServer,
  serverCertificateFile,
} from "@ganeti-ts/node-rpc";
import { secureRandom, systemClock } from "@ganeti-ts/protocol";
import type { DaemonLog, NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import type { Handler, Handlers } from "../handlers.js";
import { hostCalls, type MachinePorts } from "../host/calls.js";
import { nodeInfoCalls } from "../host/node-info.js";
import { ssconfReader } from "../host/ssconf.js";
import { instanceCalls } from "../hypervisor/calls.js";
import { type Hypervisors, hypervisors } from "../hypervisor/hypervisors.js";
import { hypervisorChecks } from "../hypervisor/look-calls.js";
import { type NodePaths, nodePaths } from "../machine/paths.js";
import { systemRunner } from "../machine/system-runner.js";
import { osCalls, osChecks } from "../os/calls.js";
import { openDisksOf } from "../os/os-scripts.js";
import { storageCalls, storageChecks } from "../storage/calls.js";
import { diskTypes } from "../storage/disk-types.js";
import { exportCalls } from "../transfer/export-calls.js";
import { transferCalls } from "../transfer/transfer-calls.js";
import { acceptedDigests, keptDigests } from "./candidates.js";
import type { Options } from "./options.js";
import { programsFolder, recoverNode } from "./recovery.js";

/** Time (ms) for the answer to be sent when a node leaves its cluster, before the daemon ends. */
const leaveMs = 1_000;

/** Ports that replace those of the machine, e.g. in tests, and the callback that ends the daemon. */
export interface ServePorts extends Partial<Pick<NodeContext, "run" | "paths" | "clock">> {
  /** Called when the node has left its cluster: the daemon is to end. */
  readonly onLeave?: () => void;
}

export type ServeOptions = Omit<Options, "address" | "monitoringPort" | "confdPort" | "isVirtual"> &
  Partial<Pick<Options, "isVirtual">> & { readonly address: string };

const pathsOf = ({ root, isVirtual = false }: ServeOptions): NodePaths =>
  nodePaths(root, isVirtual);

/** Rejects if the certificates cannot be read or the port is in use. */
export async function serve(
  options: ServeOptions,
  log: DaemonLog,
  { run, paths = pathsOf(options), clock = systemClock, onLeave }: ServePorts = {},
): Promise<NodeRpcServer> {
  const context: NodeContext = {
    run: run ?? systemRunner(log.debug, programsFolder(paths)),
    paths,
    clock,
    random: secureRandom,
    log,
    nodeName: options.nodeName,
    ssconf: ssconfReader(paths.data),
  };
  const { byName, kvm } = hypervisors(context);
  await recoverNode(context);
  // Must finish before the first call can work on the same instances.
  await kvm.takeOver();
  const { digests, keep } = keptDigests(acceptedDigests(paths.data));
  const machine: MachinePorts = {
    rebootTrigger: options.root === "" ? openedTrigger(log) : null,
    leave() {
      keep();
      if (onLeave !== undefined) clock.after(leaveMs, onLeave);
    },
  };
  const server = await createNodeRpcServer({
    // Re-read when the cluster's certificate has been renewed.
    certificates: serverCertificateFile(join(paths.data, "server.pem")),
    acceptedDigests: digests,
    nodes: daemonBackend(allCalls(context, machine, byName), log),
    node: options.nodeName,
    lease: "node-rpc",
    host: options.address,
    port: options.port,
    virtualPaths: paths.isVirtual,
  });
  return {
    port: server.port,
    close() {
      kvm.close();
      return server.close();
    },
  };
}

function openedTrigger(log: DaemonLog): number | null {
  try {
    return openSync("/proc/sysrq-trigger", "w");
  } catch (error) {
    log.warn(`node_powercycle is not possible: ${(error as Error).message}`);
    return null;
  }
}

/** The calls of every area. */
function allCalls(context: NodeContext, machine: MachinePorts, table: Hypervisors) {
  const ports = { ...context, openDisks: openDisksOf(diskTypes(context)) };
  const checks = { ...storageChecks(context), ...osChecks(context), ...hypervisorChecks(table) };
  return {
    ...hostCalls(context, checks, machine),
    ...storageCalls(context),
    ...nodeInfoCalls(context, table),
    ...instanceCalls(context, table),
    ...osCalls(ports),
    ...transferCalls(ports),
    ...exportCalls(context),
  };
}

/** Answers each call from its handler; the machine is the only node, whatever UUID a caller gives. */
const daemonBackend = (handlers: Handlers, log: Pick<DaemonLog, "error">): NodeBackend => ({
  introduce: async () => {},
  async call<Name extends NodeCallName>(
    _node: string,
    name: Name,
    args: NodeCallArguments<Name>,
    { signal }: NodeCaller,
  ): Promise<NodeAnswer<NodeCallValue<Name>>> {
    const handler = handlers[name] as Handler<Name>;
    try {
      return answered(((await handler(args, signal)) ?? null) as NodeCallValue<Name>);
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof NodeFailure) return failed(message);
      log.error(`${name}: ${(error as Error).stack ?? message}`);
      return failed(`Error while executing backend function: ${message}`);
    }
  },
});
