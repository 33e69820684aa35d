/** The port of the server half: one function for each method that a master carries out. */
import type { Arguments, MethodName, Result } from "../methods/methods.js";

/** Context of a call in addition to its arguments. */
export interface CallContext {
  /**
   * Aborts when the client goes away or the server stops. Only waits (`waitForJobChange`) should end
   * because of it, with the values of that moment: everything else is carried out and answered.
   */
  readonly signal: AbortSignal;
}

/** `PickupJob` is refused by the server itself, as Ganeti's does. */
type ServedMethod = Exclude<MethodName, "PickupJob">;

/**
 * A cluster as the protocol sees it. Functions are named like the methods, in lower camel case, and
 * throw a `GanetiError` for a refusal, a `RequestFault` for arguments that only they can judge.
 * `lock` of the queries is always false when it arrives here.
 */
export type LuxiHandler = {
  readonly [M in ServedMethod as Uncapitalize<M>]: (
    args: Arguments<M>,
    context: CallContext,
  ) => Promise<Result<M>> | Result<M>;
};
