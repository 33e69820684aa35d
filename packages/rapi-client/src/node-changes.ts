/** Changes of nodes, except parameters and role. Methods return the id of their job. */
import { JobId } from "@ganeti-ts/protocol";
import type { Caller } from "./caller.js";
import type { ParametersOf } from "./parameters.js";
import { nameIn } from "./reading.js";
import { type Submission, submitted } from "./submission.js";

type Named = "node_name" | "node_uuid";

/** A storage unit of a node. */
export interface StorageUnit {
  /** `lvm-pv`, `lvm-vg`, `file`, … */
  readonly type: string;
  readonly name: string;
}

/** Calls that act on nodes; each gives the id of its job. */
export interface NodeChanges {
  powercycle(
    name: string,
    how?: { readonly force?: boolean },
    submission?: Submission,
  ): Promise<JobId>;
  /** Evacuates instances; the job's result lists the jobs that move them. */
  evacuate(
    name: string,
    how: ParametersOf<"OP_NODE_EVACUATE", Named>,
    submission?: Submission,
  ): Promise<JobId>;
  /** Migrates all primary instances; the job's result lists the jobs. */
  migrate(
    name: string,
    how?: ParametersOf<"OP_NODE_MIGRATE", Named>,
    submission?: Submission,
  ): Promise<JobId>;
  /** The job's result has a row with the fields for each unit. */
  storage(
    name: string,
    type: string,
    fields: readonly string[],
    submission?: Submission,
  ): Promise<JobId>;
  modifyStorage(
    name: string,
    unit: StorageUnit,
    change: { readonly allocatable: boolean },
    submission?: Submission,
  ): Promise<JobId>;
  repairStorage(name: string, unit: StorageUnit, submission?: Submission): Promise<JobId>;
}

export const nodeChangesOf = (caller: Caller): NodeChanges => {
  const at = (name: string, action: string) => `${nameIn("/2/nodes", name)}/${action}`;
  return {
    powercycle: (name, { force } = {}, submission = {}) =>
      caller.call(
        "POST",
        at(name, "powercycle"),
        JobId,
        submitted({}, submission, { force: force ? 1 : undefined }),
      ),
    evacuate: (name, how, submission = {}) =>
      caller.call("POST", at(name, "evacuate"), JobId, submitted(how, submission)),
    migrate: (name, how = {}, submission = {}) =>
      caller.call("POST", at(name, "migrate"), JobId, submitted(how, submission)),
    storage: (name, storage_type, fields, submission = {}) =>
      caller.call(
        "GET",
        at(name, "storage"),
        JobId,
        submitted({}, submission, { storage_type, output_fields: fields.join(",") }),
      ),
    modifyStorage: (name, { type, ...unit }, { allocatable }, submission = {}) =>
      caller.call(
        "PUT",
        at(name, "storage/modify"),
        JobId,
        submitted({}, submission, {
          storage_type: type,
          name: unit.name,
          allocatable: Number(allocatable),
        }),
      ),
    repairStorage: (name, { type, ...unit }, submission = {}) =>
      caller.call(
        "PUT",
        at(name, "storage/repair"),
        JobId,
        submitted({}, submission, { storage_type: type, name: unit.name }),
      ),
  };
};
