/** Resources below `/2/nodes`. */
import { JobId, type NodeRole, RapiNode } from "@ganeti-ts/protocol";
import * as z from "zod";
import type { Caller } from "./caller.js";
import type { ParametersOf } from "./parameters.js";
import { pathsOf, type Reading } from "./reading.js";
import { type Submission, submitter } from "./submission.js";
import { type Tags, tagsOf } from "./tags.js";

type Named = "node_name" | "node_uuid";

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

/** A storage unit of a node. */
export interface StorageUnit {
  /** `lvm-pv`, `lvm-vg`, `file`, … */
  readonly type: string;
  readonly name: string;
}

const at = pathsOf("/2/nodes");

export const nodesOf = (caller: Caller) => {
  const submit = submitter(caller);
  return {
    /** All nodes, with their live data. */
    list: (options?: Reading): Promise<readonly RapiNode[]> =>
      caller.call("GET", "/2/nodes", z.array(RapiNode), { query: { bulk: 1 }, ...options }),
    get: (name: string, options?: Reading): Promise<RapiNode> =>
      caller.call("GET", at(name), RapiNode, options),
    modify: (name: string, change: NodeChange, submission?: Submission) =>
      submit("POST", at(name, "/modify"), change, submission),
    setRole: (
      name: string,
      role: NodeRole,
      { force, autoPromote, reason, signal }: RoleChange = {},
    ): Promise<JobId> =>
      caller.call("PUT", at(name, "/role"), JobId, {
        body: role,
        query: {
          force: force ? 1 : undefined,
          "auto-promote": autoPromote ? 1 : undefined,
          reason,
        },
        signal,
      }),
    /** The role as a word, which may be `master`. */
    role: (name: string, options?: Reading): Promise<string> =>
      caller.call("GET", at(name, "/role"), z.string(), options),
    tags: (name: string): Tags => tagsOf(caller, at(name)),
    powercycle: (
      name: string,
      { force }: { readonly force?: boolean } = {},
      submission?: Submission,
    ) => submit("POST", at(name, "/powercycle"), {}, submission, { force: force ? 1 : undefined }),
    /** Evacuates instances; the job's result lists the jobs that move them. */
    evacuate: (
      name: string,
      how: ParametersOf<"OP_NODE_EVACUATE", Named>,
      submission?: Submission,
    ) => submit("POST", at(name, "/evacuate"), how, submission),
    /** Migrates all primary instances; the job's result lists the jobs. */
    migrate: (
      name: string,
      how: ParametersOf<"OP_NODE_MIGRATE", Named> = {},
      submission?: Submission,
    ) => submit("POST", at(name, "/migrate"), how, submission),
    ...storageOf(caller),
  };
};

/** Calls on nodes by their full names. Changes return the id of their job. */
export interface Nodes extends ReturnType<typeof nodesOf> {}

const storageOf = (caller: Caller) => {
  const submit = submitter(caller);
  return {
    /** The job's result has a row with the fields for each unit. */
    storage: (
      name: string,
      storage_type: string,
      fields: readonly string[],
      submission?: Submission,
    ) =>
      submit("GET", at(name, "/storage"), {}, submission, {
        storage_type,
        output_fields: fields.join(","),
      }),
    modifyStorage: (
      name: string,
      unit: StorageUnit,
      { allocatable }: { readonly allocatable: boolean },
      submission?: Submission,
    ) =>
      submit("PUT", at(name, "/storage/modify"), {}, submission, {
        storage_type: unit.type,
        name: unit.name,
        allocatable: Number(allocatable),
      }),
    repairStorage: (name: string, unit: StorageUnit, submission?: Submission) =>
      submit("PUT", at(name, "/storage/repair"), {}, submission, {
        storage_type: unit.type,
        name: unit.name,
      }),
  };
};
