/** Resources below `/2/networks`. */
import { JobId, RapiNetwork } from "@ganeti-ts/protocol";
import * as z from "zod";
import type { Caller } from "./caller.js";
import type { ParametersOf } from "./parameters.js";
import { nameIn, type Reading } from "./reading.js";
import { type Submission, submitted } from "./submission.js";
import { type Tags, tagsOf } from "./tags.js";

type Named = "network_name";

/** Changes return the id of their job. */
export interface Networks {
  list(options?: Reading): Promise<readonly RapiNetwork[]>;
  get(name: string, options?: Reading): Promise<RapiNetwork>;
  add(parameters: ParametersOf<"OP_NETWORK_ADD">, submission?: Submission): Promise<JobId>;
  modify(
    name: string,
    change: ParametersOf<"OP_NETWORK_SET_PARAMS", Named>,
    submission?: Submission,
  ): Promise<JobId>;
  /** Only supported by this project's server, and by Ganeti's from 3.1 on. */
  rename(name: string, newName: string, submission?: Submission): Promise<JobId>;
  remove(name: string, submission?: Submission): Promise<JobId>;
  /** Connects to a node group. */
  connect(
    name: string,
    how: ParametersOf<"OP_NETWORK_CONNECT", Named>,
    submission?: Submission,
  ): Promise<JobId>;
  disconnect(name: string, group: string, submission?: Submission): Promise<JobId>;
  tags(name: string): Tags;
}

export const networksOf = (caller: Caller): Networks => {
  const path = (name: string) => nameIn("/2/networks", name);
  const put = (name: string, action: string, body: object, submission: Submission = {}) =>
    caller.call("PUT", `${path(name)}/${action}`, JobId, submitted(body, submission));
  return {
    list: (options = {}) =>
      caller.call("GET", "/2/networks", z.array(RapiNetwork), { query: { bulk: 1 }, ...options }),
    get: (name, options) => caller.call("GET", path(name), RapiNetwork, options),
    add: (parameters, submission = {}) =>
      caller.call("POST", "/2/networks", JobId, submitted(parameters, submission)),
    modify: (name, change, submission) => put(name, "modify", change, submission),
    rename: (name, new_name, submission) => put(name, "rename", { new_name }, submission),
    remove: (name, submission = {}) =>
      caller.call("DELETE", path(name), JobId, submitted({}, submission)),
    connect: (name, how, submission) => put(name, "connect", how, submission),
    disconnect: (name, group_name, submission) =>
      put(name, "disconnect", { group_name }, submission),
    tags: (name) => tagsOf(caller, path(name)),
  };
};
