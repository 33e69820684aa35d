/** A handler for tests: a table of rows, a queue of which only the ids exist, and calls that can be watched. */
import { GanetiError, type LuxiHandler } from "@ganeti-ts/luxi";
import { JobId } from "@ganeti-ts/protocol";

/** Calls that were carried out, by method, in order. */
export interface Watched {
  readonly calls: string[];
  readonly handler: LuxiHandler;
}

export function watchedHandler(overrides: Partial<LuxiHandler> = {}): Watched {
  const calls: string[] = [];
  const proxy = new Proxy(overrides, {
    get: (own, name: keyof LuxiHandler) => (args: never, context: never) => {
      calls.push(name);
      const call = own[name] ?? defaults[name];
      if (call === undefined) throw new GanetiError("GenericError", [`${name} is not served here`]);
      return (call as (args: never, context: never) => unknown)(args, context);
    },
  });
  return { calls, handler: proxy as LuxiHandler };
}

const defaults: Partial<LuxiHandler> = {
  queryConfigValues: ({ names }) => names,
  queryTags: ({ name }) => {
    throw new GanetiError("OpPrereqError", [`Node name ${name} not found`, "unknown_entity"]);
  },
  submitJob: ({ opcodes }) => JobId.parse(opcodes.length),
};
