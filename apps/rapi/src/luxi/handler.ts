/** luxiHandler: a function for each method of the local protocol. */
import type { CallContext, LuxiHandler } from "@ganeti-ts/luxi";
import { filterCalls } from "./filter-calls.js";
import { jobCalls } from "./job-calls.js";
import { queryCalls } from "./query-calls.js";
import { asGanetiError } from "./refusals.js";
import type { LuxiWorld } from "./world.js";

/** All methods on one cluster; what the cluster refuses is thrown as `GanetiError`. */
export const luxiHandler = (world: LuxiWorld): LuxiHandler =>
  translated({ ...jobCalls(world), ...queryCalls(world), ...filterCalls(world) });

type Method = (args: unknown, context: CallContext) => unknown;

function translated(handler: LuxiHandler): LuxiHandler {
  const methods = Object.entries(handler as unknown as Readonly<Record<string, Method>>).map(
    ([name, method]): [string, Method] => [
      name,
      async (args, context) => {
        try {
          return await method(args, context);
        } catch (error) {
          throw asGanetiError(error);
        }
      },
    ],
  );
  return Object.fromEntries(methods) as unknown as LuxiHandler;
}
