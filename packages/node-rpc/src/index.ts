/** Ganeti's node RPC: the wire of each call, a client and a server half. */

// The wire.

export {
  decodeAnswer,
  decodeArguments,
  encodeAnswer,
  encodeArguments,
} from "./wire/codec.js";
export { noNodes, type WireContext } from "./wire/context.js";
export { WireError } from "./wire/format.js";

// Calling nodes, and answering as one.

export {
  createNodeRpcClient,
  type NodeRpcClient,
  type NodeRpcClientOptions,
} from "./client/client.js";
export type { CallFigures, NodeRpcMetrics } from "./client/metrics.js";
export {
  createNodeRpcServer,
  type NodeRpcServer,
  type NodeRpcServerOptions,
} from "./server/server.js";
