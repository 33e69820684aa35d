/** Resources below `/2/networks`. */
import { RapiNetwork } from "@ganeti-ts/protocol";
import * as z from "zod";
import type { Caller } from "./caller.js";
import type { ParametersOf } from "./parameters.js";
import { pathsOf, type Reading } from "./reading.js";
import { type Submission, submitter } from "./submission.js";
import { type Tags, tagsOf } from "./tags.js";

type Named = "network_name";

export const networksOf = (caller: Caller) => {
  const submit = submitter(caller);
  const at = pathsOf("/2/networks");
  return {
    list: (options?: Reading): Promise<readonly RapiNetwork[]> =>
      caller.call("GET", "/2/networks", z.array(RapiNetwork), { query: { bulk: 1 }, ...options }),
    get: (name: string, options?: Reading): Promise<RapiNetwork> =>
      caller.call("GET", at(name), RapiNetwork, options),
    add: (parameters: ParametersOf<"OP_NETWORK_ADD">, submission?: Submission) =>
      submit("POST", "/2/networks", parameters, submission),
    modify: (
      name: string,
      change: ParametersOf<"OP_NETWORK_SET_PARAMS", Named>,
      submission?: Submission,
    ) => submit("PUT", at(name, "/modify"), change, submission),
    /** Only supported by this project's server, and by Ganeti's from 3.1 on. */
    rename: (name: string, new_name: string, submission?: Submission) =>
      submit("PUT", at(name, "/rename"), { new_name }, submission),
    remove: (name: string, submission?: Submission) => submit("DELETE", at(name), {}, submission),
    /** Connects to a node group. */
    connect: (
      name: string,
      how: ParametersOf<"OP_NETWORK_CONNECT", Named>,
      submission?: Submission,
    ) => submit("PUT", at(name, "/connect"), how, submission),
    disconnect: (name: string, group_name: string, submission?: Submission) =>
      submit("PUT", at(name, "/disconnect"), { group_name }, submission),
    tags: (name: string): Tags => tagsOf(caller, at(name)),
  };
};

/** Calls on networks. Changes return the id of their job. */
export interface Networks extends ReturnType<typeof networksOf> {}
