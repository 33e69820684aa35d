/** Resources below `/2/nodes`. */
import { JobId, type NodeRole, RapiNode } from "@ganeti-ts/protocol";
import * as z from "zod";
import type { Caller } from "./caller.js";
import { type NodeChanges, nodeChangesOf } from "./node-changes.js";
import { nameIn, type Reading } from "./reading.js";
import { type Submission, submitted } from "./submission.js";
import { type Tags, tagsOf } from "./tags.js";

/** Properties of a node that `Nodes.modify` sets. */
export interface NodeChange {
  readonly offline?: boolean;
  readonly drained?: boolean;
  readonly master_candidate?: boolean;
  readonly vm_capable?: boolean;
  readonly master_capable?: boolean;
  /** Proceeds even if too few master candidates are left. */
  readonly force?: boolean;
  /** Promotes other nodes to master candidates if necessary. */
  readonly auto_promote?: boolean;
}

/** Options of a change of a node's role. */
export interface RoleChange {
  readonly force?: boolean;
  readonly autoPromote?: boolean;
  readonly reason?: string;
  readonly signal?: AbortSignal;
}

/** Names are full names of nodes. Changes return the id of their job. */
export interface Nodes extends NodeChanges {
  /** All nodes, with their live data. */
  list(options?: Reading): Promise<readonly RapiNode[]>;
  get(name: string, options?: Reading): Promise<RapiNode>;
  modify(name: string, change: NodeChange, submission?: Submission): Promise<JobId>;
  setRole(name: string, role: NodeRole, change?: RoleChange): Promise<JobId>;
  /** The role as a word, which may be `master`. */
  role(name: string, options?: Reading): Promise<string>;
  tags(name: string): Tags;
}

export const nodesOf = (caller: Caller): Nodes => {
  const path = (name: string) => nameIn("/2/nodes", name);
  return {
    ...nodeChangesOf(caller),
    list: (options = {}) =>
      caller.call("GET", "/2/nodes", z.array(RapiNode), { query: { bulk: 1 }, ...options }),
    get: (name, options) => caller.call("GET", path(name), RapiNode, options),
    modify: (name, change, submission = {}) =>
      caller.call("POST", `${path(name)}/modify`, JobId, submitted(change, submission)),
    setRole: (name, role, { force, autoPromote, reason, signal } = {}) =>
      caller.call("PUT", `${path(name)}/role`, JobId, {
        body: role,
        query: {
          force: force ? 1 : undefined,
          "auto-promote": autoPromote ? 1 : undefined,
          reason,
        },
        signal,
      }),
    role: (name, options) => caller.call("GET", `${path(name)}/role`, z.string(), options),
    tags: (name) => tagsOf(caller, path(name)),
  };
};
