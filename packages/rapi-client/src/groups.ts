/** Resources below `/2/groups`. */
import { RapiGroup } from "@ganeti-ts/protocol";
import * as z from "zod";
import type { Caller } from "./caller.js";
import type { ParametersOf } from "./parameters.js";
import { pathsOf, type Reading } from "./reading.js";
import { type Submission, submitter } from "./submission.js";
import { type Tags, tagsOf } from "./tags.js";

export const groupsOf = (caller: Caller) => {
  const submit = submitter(caller);
  const at = pathsOf("/2/groups");
  return {
    list: (options?: Reading): Promise<readonly RapiGroup[]> =>
      caller.call("GET", "/2/groups", z.array(RapiGroup), { query: { bulk: 1 }, ...options }),
    get: (name: string, options?: Reading): Promise<RapiGroup> =>
      caller.call("GET", at(name), RapiGroup, options),
    add: (parameters: ParametersOf<"OP_GROUP_ADD">, submission?: Submission) =>
      submit("POST", "/2/groups", parameters, submission),
    modify: (
      name: string,
      change: ParametersOf<"OP_GROUP_SET_PARAMS", "group_name">,
      submission?: Submission,
    ) => submit("PUT", at(name, "/modify"), change, submission),
    rename: (name: string, new_name: string, submission?: Submission) =>
      submit("PUT", at(name, "/rename"), { new_name }, submission),
    remove: (name: string, submission?: Submission) => submit("DELETE", at(name), {}, submission),
    /** Moves nodes into the group; with `force` even if that splits instances between groups. */
    assignNodes: (
      name: string,
      nodes: readonly string[],
      { force }: { readonly force?: boolean } = {},
      submission?: Submission,
    ) =>
      submit("PUT", at(name, "/assign-nodes"), { nodes }, submission, {
        force: force ? 1 : undefined,
      }),
    tags: (name: string): Tags => tagsOf(caller, at(name)),
  };
};

/** Calls on node groups. Changes return the id of their job. */
export interface Groups extends ReturnType<typeof groupsOf> {}
