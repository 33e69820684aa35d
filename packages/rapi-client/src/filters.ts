/**
 * Resources below `/2/filters`: rules that accept, hold, reject or throttle jobs. They take effect
 * immediately, without a job.
 */
import { type FilterRule, FilterUuid, JobId } from "@ganeti-ts/protocol";
import * as z from "zod";
import type { Caller } from "./caller.js";
import { pathsOf, type Reading } from "./reading.js";

/** A rule in an answer. The server has validated its filter expressions, so they are not checked here. */
const ShownRule = z.looseObject({
  uuid: FilterUuid,
  watermark: JobId,
  priority: z.int(),
  predicates: z.array(z.tuple([z.enum(["jobid", "opcode", "reason"]), z.unknown()])),
  action: z.union([
    z.enum(["ACCEPT", "PAUSE", "REJECT", "CONTINUE"]),
    // No z.literal: it is not used elsewhere in this client, and would add 1 % to a page.
    z.tuple([z.enum(["RATE_LIMIT"]), z.int()]),
  ]),
  // Nanoseconds exceed the safe integers of z.int, and have lost their last digits as JSON numbers.
  reason_trail: z.array(
    z.tuple([z.string(), z.string(), z.number().refine(Number.isInteger).transform(BigInt)]),
  ),
}) as unknown as z.ZodType<FilterRule>;

/** A rule to add or replace; missing keys have defaults. */
export interface NewRule {
  readonly priority?: number;
  readonly predicates?: FilterRule["predicates"];
  readonly action?: FilterRule["action"];
  readonly reason?: readonly (readonly [source: string, reason: string, nanoseconds: number])[];
}

export const filtersOf = (caller: Caller) => {
  const at = pathsOf("/2/filters");
  return {
    list: (options?: Reading): Promise<readonly FilterRule[]> =>
      caller.call("GET", "/2/filters", z.array(ShownRule), { query: { bulk: 1 }, ...options }),
    get: (uuid: string, options?: Reading): Promise<FilterRule> =>
      caller.call("GET", at(uuid), ShownRule, options),
    /** Returns its UUID. */
    add: (body: NewRule, options?: Reading): Promise<FilterUuid> =>
      caller.call("POST", "/2/filters", FilterUuid, { body, ...options }),
    /** Creates the rule with that UUID, or replaces it completely. */
    replace: (uuid: string, body: NewRule, options?: Reading): Promise<FilterUuid> =>
      caller.call("PUT", at(uuid), FilterUuid, { body, ...options }),
    remove: async (uuid: string, options?: Reading): Promise<void> => {
      await caller.call("DELETE", at(uuid), z.null(), options);
    },
  };
};

/** Calls on filter rules of the job queue. */
export interface Filters extends ReturnType<typeof filtersOf> {}
