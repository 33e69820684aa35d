/** Resources below `/2/filters`: rules that hold, refuse or throttle jobs. They count at once, without a job. */
import { FilterRule, FilterUuid } from "@ganeti-ts/protocol";
import { z } from "zod";
import type { Caller } from "./caller.js";
import { nameIn, type Reading } from "./reading.js";

/** What is said of a rule; what is left out has its default. */
export interface NewRule {
  readonly priority?: number;
  readonly predicates?: FilterRule["predicates"];
  readonly action?: FilterRule["action"];
  readonly reason?: readonly (readonly [source: string, reason: string, nanoseconds: number])[];
}

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
      caller.call("GET", "/2/filters", z.array(FilterRule), { query: { bulk: 1 }, ...options }),
    get: (uuid, options) => caller.call("GET", path(uuid), FilterRule, options),
    add: (body, options = {}) =>
      caller.call("POST", "/2/filters", FilterUuid, { body, ...options }),
    replace: (uuid, body, options = {}) =>
      caller.call("PUT", path(uuid), FilterUuid, { body, ...options }),
    async remove(uuid, options) {
      await caller.call("DELETE", path(uuid), z.null(), options);
    },
  };
};
