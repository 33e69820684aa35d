/** Changes of node groups. Every method returns the id of its job. */
import { JobId } from "@ganeti-ts/protocol";
import type { Caller } from "./caller.js";
import type { ParametersOf } from "./parameters.js";
import { nameIn } from "./reading.js";
import { type Submission, submitted } from "./submission.js";

/** Calls that change node groups; each gives the id of its job. */
export interface GroupChanges {
  add(parameters: ParametersOf<"OP_GROUP_ADD">, submission?: Submission): Promise<JobId>;
  modify(
    name: string,
    change: ParametersOf<"OP_GROUP_SET_PARAMS", "group_name">,
    submission?: Submission,
  ): Promise<JobId>;
  rename(name: string, newName: string, submission?: Submission): Promise<JobId>;
  remove(name: string, submission?: Submission): Promise<JobId>;
  /** Moves nodes into the group; with `force` even if that splits instances between groups. */
  assignNodes(
    name: string,
    nodes: readonly string[],
    how?: { readonly force?: boolean },
    submission?: Submission,
  ): Promise<JobId>;
}

export const groupChangesOf = (caller: Caller): GroupChanges => {
  const path = (name: string) => nameIn("/2/groups", name);
  return {
    add: (parameters, submission = {}) =>
      caller.call("POST", "/2/groups", JobId, submitted(parameters, submission)),
    modify: (name, change, submission = {}) =>
      caller.call("PUT", `${path(name)}/modify`, JobId, submitted(change, submission)),
    rename: (name, new_name, submission = {}) =>
      caller.call("PUT", `${path(name)}/rename`, JobId, submitted({ new_name }, submission)),
    remove: (name, submission = {}) =>
      caller.call("DELETE", path(name), JobId, submitted({}, submission)),
    assignNodes: (name, nodes, { force } = {}, submission = {}) =>
      caller.call(
        "PUT",
        `${path(name)}/assign-nodes`,
        JobId,
        submitted({ nodes }, submission, { force: force ? 1 : undefined }),
      ),
  };
};
