/** The shape of the code behind calls. */
import type { CancelSignal } from "@ganeti-ts/protocol";

/** Carries out one call: rejects with `NodeFailure` for a failed call. The signal tells that the caller has gone. */
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

/** Whether `name`, which comes from outside, is a key of `table` itself. */
export const isNamed = <Table extends object>(
  table: Table,
  name: string,
): name is keyof Table & string => Object.hasOwn(table, name);
