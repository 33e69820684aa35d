/** Resources below `/2/filters`: rules that hold, refuse or throttle jobs. They count at once, without a job. */
import { type FilterRule, FilterUuid, JobId } from "@ganeti-ts/protocol";
import * as z from "zod";
import type { Caller } from "./caller.js";
import { nameIn, type Reading } from "./reading.js";

/** A rule as a server shows it. The server has checked its filter expressions; they pass unread. */
const ShownRule = z.looseObject({
  uuid: FilterUuid,
  watermark: JobId,
  priority: z.int(),
  predicates: z.array(z.tuple([z.enum(["jobid", "opcode", "reason"]), z.unknown()])),
  action: z.union([
    z.enum(["ACCEPT", "PAUSE", "REJECT", "CONTINUE"]),
    // No z.literal: nothing else in this client needs it, and it would add 1 % to a page.
    z.tuple([z.enum(["RATE_LIMIT"]), z.int()]),
  ]),
  // JSON numbers lose the last digits of nanoseconds on the way here.
  reason_trail: z.array(z.tuple([z.string(), z.string(), z.int().transform(BigInt)])),
}) as unknown as z.ZodType<FilterRule>;

/** A rule to add, or to put in place of another; what is left out has its default. */
export interface NewRule {
  readonly priority?: number;
  readonly predicates?: FilterRule["predicates"];
  readonly action?: FilterRule["action"];
  readonly reason?: readonly (readonly [source: string, reason: string, nanoseconds: number])[];
}

/** Calls on filter rules of the job queue. */
export interface Filters {
  list(options?: Reading): Promise<readonly FilterRule[]>;
  get(uuid: string, options?: Reading): Promise<FilterRule>;
  /** Gives its UUID. */
  add(rule: NewRule, options?: Reading): Promise<FilterUuid>;
  /** Makes the rule with that UUID, or replaces all of it. */
  replace(uuid: string, rule: NewRule, options?: Reading): Promise<FilterUuid>;
  remove(uuid: string, options?: Reading): Promise<void>;
}

export const filtersOf = (caller: Caller): Filters => {
  const path = (uuid: string) => nameIn("/2/filters", uuid);
  return {
    list: (options = {}) =>
      caller.call("GET", "/2/filters", z.array(ShownRule), { query: { bulk: 1 }, ...options }),
    get: (uuid, options) => caller.call("GET", path(uuid), ShownRule, options),
    add: (body, options = {}) =>
      caller.call("POST", "/2/filters", FilterUuid, { body, ...options }),
    replace: (uuid, body, options = {}) =>
      caller.call("PUT", path(uuid), FilterUuid, { body, ...options }),
    async remove(uuid, options) {
      await caller.call("DELETE", path(uuid), z.null(), options);
    },
  };
};
