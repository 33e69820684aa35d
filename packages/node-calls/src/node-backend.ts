/**
 * Port between logical units and nodes: simulated ones, or daemons on a network.
 *
 * A call has the name of Ganeti's procedure, one object of plain JSON data as its arguments, and
 * plain JSON data as its value, so that it can be sent, recorded and replayed unchanged.
 */
import type { CancelSignal } from "@ganeti-ts/protocol";
import type { NodeCallArguments, NodeCallName, NodeCallValue } from "./call-types.js";
import { markedOffline, type NodeAnswer } from "./node-answer.js";

/** The caller in whose name a call is made. */
export interface NodeCaller {
  /** Lease of the worker; nodes refuse calls with a fenced lease (`Fence`). */
  readonly lease: string;
  /** Ends the waiting of the caller, not the work of the node. */
  readonly signal: CancelSignal;
}

/** Name and addresses of a node. */
export interface NodeAddress {
  readonly uuid: string;
  readonly name: string;
  readonly primaryIp: string;
  readonly secondaryIp: string;
}

/** Back end that carries calls out on nodes, simulated or real. */
export interface NodeBackend {
  /**
   * Registers name and addresses of the node with this UUID: for every node of the configuration
   * before the first call, when a node is about to be added, and when its name or address changes.
   */
  introduce(node: NodeAddress): Promise<void>;
  /**
   * Calls the node with this UUID. Never rejects: a failure is an answer.
   *
   * Every call may be repeated: existing objects are not created again and missing ones count as
   * removed, unless the description of the call says otherwise.
   */
  call<Name extends NodeCallName>(
    node: string,
    name: Name,
    args: NodeCallArguments<Name>,
    caller: NodeCaller,
  ): Promise<NodeAnswer<NodeCallValue<Name>>>;
}

/**
 * Calls sent even to offline nodes. The certificate of a node that comes back is fetched before the
 * configuration marks it online, so that both change at once.
 */
const sentAnyway: ReadonlySet<NodeCallName> = new Set([
  ...(["node_crypto_tokens", "node_powercycle", "version"] as const),
]);

/** Nodes without calls to those that `isOffline` names, by UUID. */
export const sparingOfflineNodes = (
  nodes: NodeBackend,
  isOffline: (node: string) => boolean,
): NodeBackend => ({
  introduce: (node) => nodes.introduce(node),
  // (not async: every call passes here)
  call: (node, name, args, caller) =>
    isOffline(node) && !sentAnyway.has(name)
      ? Promise.resolve(markedOffline)
      : nodes.call(node, name, args, caller),
});
