/** The server half of the protocol: requests from a local socket become calls of a handler. */
import type { Json } from "@ganeti-ts/protocol";
import { GanetiError } from "../ganeti-error.js";
import { decodeRequest, type LuxiRequest, readCall } from "../request.js";
import { RequestFault } from "../request-fault.js";
import { encodeFailure, encodeResult } from "../response.js";
import type { Reply } from "./connection.js";
import type { CallContext, LuxiHandler } from "./handler.js";
import { type ServerLimits, serverLimits } from "./limits.js";
import type { MessageServer } from "./listening.js";
import { createMessageServer } from "./message-server.js";

/** Options of a server: the handler of calls, limits and reports of bugs. */
export interface LuxiServerOptions {
  readonly handler: LuxiHandler;
  /** Limits other than the default ones. */
  readonly limits?: Partial<ServerLimits>;
  /** Notified of errors that are bugs: neither a GanetiError nor a RequestFault. */
  readonly onFault?: (error: unknown, method: string) => void;
}

/** Makes a server; it serves nothing before `listen` or `accept`. */
export function createLuxiServer({ handler, limits, onFault }: LuxiServerOptions): MessageServer {
  const bounds = { ...serverLimits, ...limits };
  const refusals = {
    "too long": new RequestFault(`the message is longer than ${bounds.requestBytesMax} bytes`),
    "after a fault": new GanetiError("GenericError", [
      "Not carried out: an earlier request on this connection could not be parsed",
    ]),
  };
  return createMessageServer(
    {
      answer: (message, signal) => answerTo(message, { handler, context: { signal }, onFault }),
      refusal: (why) => encodeFailure(refusals[why]),
    },
    bounds,
  );
}

interface Answering {
  readonly handler: LuxiHandler;
  readonly context: CallContext;
  readonly onFault: LuxiServerOptions["onFault"];
}

async function answerTo(message: Uint8Array, answering: Answering): Promise<Reply> {
  let method = "";
  try {
    const request = decodeRequest(message);
    method = request.method;
    return { text: encodeResult(await carriedOut(request, answering)), close: false };
  } catch (error) {
    if (error instanceof RequestFault) return { text: encodeFailure(error), close: true };
    if (error instanceof GanetiError) return { text: encodeFailure(error), close: false };
    answering.onFault?.(error, method);
    const text = `Internal error: ${error instanceof Error ? error.message : String(error)}`;
    return { text: encodeFailure(new GanetiError("GenericError", [text])), close: false };
  }
}

async function carriedOut(request: LuxiRequest, { handler, context }: Answering): Promise<Json> {
  const { method, args } = request;
  if (method === "PickupJob") {
    throw new GanetiError("GenericError", ["Luxi call 'PickupJob' is for internal use only"]);
  }
  const name = `${method.charAt(0).toLowerCase()}${method.slice(1)}` as keyof LuxiHandler;
  // Method and arguments belong together; the compiler does not follow that through the table.
  const call = handler[name] as (args: unknown, context: CallContext) => Promise<Json> | Json;
  return await call.call(handler, args, context);
}

/** A server for `ganeti-wconfd`'s socket that answers `echo` with its argument, and refuses all else. */
export function createEchoServer(limits?: Partial<ServerLimits>): MessageServer {
  return createMessageServer(
    {
      answer: async (message) => echoed(message),
      refusal: () => encodeFailure(new RequestFault("not an echo")),
    },
    { ...serverLimits, ...limits },
  );
}

function echoed(message: Uint8Array): Reply {
  try {
    const { method, args } = readCall(message);
    const [text] = Array.isArray(args) && args.length === 1 ? args : [];
    if (method !== "echo" || typeof text !== "string") throw new RequestFault("not an echo");
    return { text: encodeResult(text), close: false };
  } catch (error) {
    if (!(error instanceof RequestFault)) throw error;
    return { text: encodeFailure(error), close: true };
  }
}
