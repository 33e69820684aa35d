/** Types of the handlers of calls. */
import type { CancelSignal } from "@ganeti-ts/protocol";

/** Carries out one call; rejects with `NodeFailure` if it fails. The signal fires when the caller has disconnected. */
export type Handler<Call extends { arguments: unknown; value: unknown }> = (
  args: Call["arguments"],
  signal: CancelSignal,
) => Promise<Call["value"]>;

/** A handler for each call of a group. */
export type Handlers<Calls> = {
  readonly [Name in keyof Calls]: Calls[Name] extends { arguments: unknown; value: unknown }
    ? Handler<Calls[Name]>
    : never;
};

/** Whether `name`, which comes from a caller, is an own key of `table`. */
export const isNamed = <Table extends object>(
  table: Table,
  name: string,
): name is keyof Table & string => Object.hasOwn(table, name);
