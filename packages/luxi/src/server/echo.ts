/** The one call of Ganeti's configuration daemon that its watcher makes to see whether it lives. */

import { readCall } from "../request.js";
import { RequestFault } from "../request-fault.js";
import { encodeFailure, encodeResult } from "../response.js";
import type { Reply } from "./connection.js";
import { type ServerLimits, serverLimits } from "./limits.js";
import type { MessageServer } from "./listening.js";
import { createMessageServer } from "./message-server.js";

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
