/** Ganeti's node RPC: the wire of each call, a client and a server half. */

// The wire.

export {
  decodeAnswer,
  decodeArguments,
  encodeAnswer,
  encodeArguments,
} from "./wire/codec.js";
export { noNodes, type WireContext } from "./wire/context.js";

// Calling nodes, and answering as one.

export {
  type Certificates,
  type ClientCertificates,
  clientCertificateFiles,
  type ServerCertificates,
  serverCertificateFile,
} from "./certificates.js";
export {
  createNodeRpcClient,
  type NodeRpcClient,
  type NodeRpcClientOptions,
  type NodeRpcClientSettings,
} from "./client/client.js";
export type { CallFigures, NodeRpcMetrics } from "./client/metrics.js";
export {
  createNodeRpcServer,
  type NodeRpcServer,
  type NodeRpcServerOptions,
  type NodeRpcServerSettings,
} from "./server/server.js";
