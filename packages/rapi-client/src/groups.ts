/** Resources below `/2/groups`. */
import { RapiGroup } from "@ganeti-ts/protocol";
import * as z from "zod";
import type { Caller } from "./caller.js";
import { type GroupChanges, groupChangesOf } from "./group-changes.js";
import { nameIn, type Reading } from "./reading.js";
import { type Tags, tagsOf } from "./tags.js";

/** Calls on node groups. */
export interface Groups extends GroupChanges {
  list(options?: Reading): Promise<readonly RapiGroup[]>;
  get(name: string, options?: Reading): Promise<RapiGroup>;
  tags(name: string): Tags;
}

export const groupsOf = (caller: Caller): Groups => {
  const path = (name: string) => nameIn("/2/groups", name);
  return {
    ...groupChangesOf(caller),
    list: (options = {}) =>
      caller.call("GET", "/2/groups", z.array(RapiGroup), { query: { bulk: 1 }, ...options }),
    get: (name, options) => caller.call("GET", path(name), RapiGroup, options),
    tags: (name) => tagsOf(caller, path(name)),
  };
};
