/** Ganeti's local protocol (LUXI): a client, a server, and the schemas of all calls. */

// Asking a master.

export { createLuxiClient, type LuxiClient, type LuxiClientOptions } from "./client/client.js";
export { LuxiConnectionError } from "./connection.js";

// Being one: a port with a function for each method, and a server that calls it.

export type { CallContext, LuxiHandler } from "./server/handler.js";
export type { ServerLimits } from "./server/limits.js";
export { createEchoServer, createLuxiServer, type LuxiServerOptions } from "./server/server.js";

// Refusals, in both directions.

export { GanetiError } from "./ganeti-error.js";
export { RequestFault } from "./request-fault.js";
export { LuxiProtocolError } from "./response.js";

// Every method with the schemas of its arguments and result.

export { itemKinds } from "./methods/arguments.js";
export type { Method } from "./methods/define.js";
export { type Arguments, luxiMethods, type Result } from "./methods/methods.js";
export { OpcodeArgument } from "./methods/opcode-argument.js";

// Messages as text and bytes, for programs with sockets of their own.

export { FrameReader } from "./frames.js";
export { decodeRequest, encodeRequest } from "./request.js";
export { decodeResponse, encodeFailure, encodeResult } from "./response.js";
