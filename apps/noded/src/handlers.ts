/** Types of the handlers of calls. */
import type {
  NodeCallArguments,
  NodeCallName,
  NodeCalls,
  NodeCallValue,
} from "@ganeti-ts/node-calls";
import type { CancelSignal } from "@ganeti-ts/protocol";

/**
 * Carries out one call; rejects with `NodeFailure` if it fails. A handler without a result answers null. The signal fires
 * when the caller has disconnected.
 */
export type Handler<Name extends NodeCallName> = (
  args: NodeCallArguments<Name>,
  signal: CancelSignal,
) => Promise<NodeCallValue<Name>> | (NodeCallValue<Name> extends null ? Promise<void> : never);

/** A handler for each call. */
export type Handlers = { readonly [Name in keyof NodeCalls]: Handler<Name> };

/** Handlers of some calls, with the types of their arguments and values. */
export const handlers = <Names extends NodeCallName>(
  some: Pick<Handlers, Names>,
): Pick<Handlers, Names> => some;

/** Whether `name`, which comes from a caller, is an own key of `table`. */
export const isNamed = <Table extends object>(
  table: Table,
  name: string,
): name is keyof Table & string => Object.hasOwn(table, name);
