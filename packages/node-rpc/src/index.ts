/** Ganeti's node RPC: the wire of each call, a client and a server. */

// The wire.

export {
  decodeAnswer,
  decodeArguments,
  encodeAnswer,
  encodeArguments,
} from "./wire/codec.js";
export { noNodes } from "./wire/context.js";

// Calling nodes, and answering as one.

export {
  type Certificates,
  type ClientCertificates,
  clientCertificateFiles,
  serverCertificateFile,
} from "./certificates.js";
export {
  createNodeRpcClient,
  type NodeRpcClient,
  type NodeRpcClientOptions,
  type NodeRpcClientSettings,
} from "./client/client.js";
export { refuseProxies } from "./server/refused-proxies.js";
export {
  createNodeRpcServer,
  type NodeRpcServer,
  type NodeRpcServerOptions,
} from "./server/server.js";
