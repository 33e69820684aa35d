/** daemonBackend: the calls of one machine as a node back end. */
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
import type { DaemonLog } from "./context.js";
import { NodeFailure } from "./failure.js";
import type { Handler, Handlers } from "./handlers.js";

/** Answers each call from its handler; the machine is the only node, whatever UUID a caller gives. */
export const daemonBackend = (handlers: Handlers, log: Pick<DaemonLog, "error">): NodeBackend => ({
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
