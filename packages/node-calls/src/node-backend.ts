/**
 * The port between logical units and whatever runs on nodes: simulated
 * ones, or daemons behind a network.
 *
 * A call has the name of Ganeti's procedure, one object of plain JSON data as its arguments, and plain
 * JSON data as its value, so that it can be sent, recorded and replayed as it is.
 */
import type { CancelSignal } from "@ganeti-ts/protocol";
import type { NodeCallArguments, NodeCallName, NodeCallValue } from "./call-types.js";
import { markedOffline, type NodeAnswer } from "./node-answer.js";

/** On whose behalf a call is made. */
export interface NodeCaller {
  /** Of the worker; a node refuses the calls of one that has been fenced (`Fence`). */
  readonly lease: string;
  /** Stops the waiting, not what the node has begun. */
  readonly signal: CancelSignal;
}

/** Where a node is. */
export interface NodeAddress {
  readonly uuid: string;
  readonly name: string;
  readonly primaryIp: string;
  readonly secondaryIp: string;
}

export interface NodeBackend {
  /**
   * Tells where the node with this UUID is from now on: for every node of the configuration before the
   * first call, when a node is about to be added, and when its name or address changes.
   */
  introduce(node: NodeAddress): Promise<void>;
  /**
   * Asks the node with this UUID. Never rejects: whatever goes wrong is an answer.
   *
   * Every call may be repeated: what is there already is not made again, what is gone already is not
   * missed, unless the description of the call says otherwise.
   */
  call<Name extends NodeCallName>(
    node: string,
    name: Name,
    args: NodeCallArguments<Name>,
    caller: NodeCaller,
  ): Promise<NodeAnswer<NodeCallValue<Name>>>;
}

/**
 * Sent to nodes that are offline, too. The certificate of a node that comes back is asked for before the configuration
 * says that it is online, so that both change at once.
 */
const sentAnyway: ReadonlySet<NodeCallName> = new Set([
  ...(["node_crypto_tokens", "node_powercycle", "version"] as const),
]);

/** Does not ask nodes of which `isOffline` says so, by UUID. */
export const sparingOfflineNodes = (
  nodes: NodeBackend,
  isOffline: (node: string) => boolean,
): NodeBackend => ({
  introduce: (node) => nodes.introduce(node),
  call: async (node, name, args, caller) =>
    isOffline(node) && !sentAnyway.has(name) ? markedOffline : nodes.call(node, name, args, caller),
});
