/** The client half of the protocol: typed calls, with the times and repetitions of Ganeti's Python clients. */
import type { Method } from "../methods/define.js";
import { type Arguments, luxiMethods, type MethodName, type Result } from "../methods/methods.js";
import { encodeRequest } from "../request.js";
import { decodeResponse, LuxiProtocolError } from "../response.js";
import { type ClientTimes, clientTimes, Exchanger } from "./exchanger.js";

/** Options of a client: socket, times and repetition of attempts. */
export interface LuxiClientOptions {
  /** The socket, `/var/run/ganeti/socket/ganeti-query` on a Ganeti master. */
  readonly path: string;
  /** Times other than those of Ganeti's clients. */
  readonly times?: Partial<ClientTimes>;
  /**
   * Whether to go on trying to connect while no server listens. Ganeti's clients do if the ssconf
   * file of this machine names it as the master. Default: yes.
   */
  readonly isMaster?: () => boolean | Promise<boolean>;
  /**
   * Maximum number of times a request is sent if its connection breaks before the answer; default 15, as
   * in Ganeti's clients. A submission whose answer was lost is then submitted again; 1 never repeats.
   */
  readonly attempts?: number;
}

/** Settings of a single call. */
interface CallOptions {
  /** Ends the call, and the connection with it: the server may still carry the request out. */
  readonly signal?: AbortSignal;
}

/**
 * One function for each method, named like it in lower camel case. Calls are made one after the other
 * on one connection, which is made with the first; a wait occupies it, so a program that does other
 * things meanwhile has a second client.
 *
 * They reject with a GanetiError that the master answered, a LuxiProtocolError about an answer that
 * cannot be read or a request that the master could not parse, or a LuxiConnectionError.
 */
export type LuxiClient = {
  readonly [M in MethodName as Uncapitalize<M>]: (
    args: Arguments<M>,
    options?: CallOptions,
  ) => Promise<Result<M>>;
} & {
  /** Calls in progress fail. */
  readonly close: () => void;
};

/** Makes a client; it connects with its first call. */
export function createLuxiClient(options: LuxiClientOptions): LuxiClient {
  const { path, times, isMaster = () => true, attempts = 15 } = options;
  const exchanger = new Exchanger({
    path,
    times: { ...clientTimes, ...times },
    isMaster,
    attempts,
  });
  const call = async (method: MethodName, args: Arguments<MethodName>, options?: CallOptions) => {
    const answer = await exchanger.exchange(encodeRequest(method, args), options?.signal);
    const definition: Method = luxiMethods[method];
    const result = definition.result.safeParse(decodeResponse(answer));
    if (result.success) return result.data;
    const [issue] = result.error.issues;
    const place = ["result", ...(issue?.path ?? [])].join(".");
    throw new LuxiProtocolError(`Invalid answer to ${method}: ${place}: ${issue?.message}`);
  };
  const calls = (Object.keys(luxiMethods) as MethodName[]).map((method) => [
    method.charAt(0).toLowerCase() + method.slice(1),
    (args: Arguments<MethodName>, options?: CallOptions) => call(method, args, options),
  ]);
  return { ...Object.fromEntries(calls), close: () => exchanger.close() } as LuxiClient;
}
