/** Chained jobs: when a job may be handed over, and what becomes of an opcode that depends on others. */
import {
  type Dependency,
  dependenciesOf,
  isFinalized,
  type Job,
  type JobId,
  type JobStatus,
} from "@ganeti-ts/protocol";

/** Every job that holds this one back while it is in the queue or claimed: earlier ids only. */
export function gateOf(job: Job): readonly JobId[] {
  const ids = job.opcodes.flatMap((opcode) => dependenciesOf(opcode).map(([id]) => id as JobId));
  return ids.filter((id) => id < job.id);
}

export type DependencyVerdict = {
  readonly outcome: "run" | "wait" | "cancel" | "error";
  readonly message: string;
};

/**
 * Judges the dependencies of an opcode of job `own`, in their order: the first that is not satisfied
 * decides. `statusOf` knows all jobs, archived ones too; undefined is one that does not exist.
 */
export function dependencyVerdict(
  own: JobId,
  dependencies: readonly Dependency[],
  statusOf: (id: JobId) => JobStatus | undefined,
): DependencyVerdict {
  for (const dependency of dependencies) {
    const verdict = judge(own, dependency, statusOf);
    if (verdict.outcome !== "run") return verdict;
  }
  return { outcome: "run", message: "" };
}

function judge(
  own: JobId,
  [id, wanted]: Dependency,
  statusOf: (id: JobId) => JobStatus | undefined,
): DependencyVerdict {
  if (id === own) return { outcome: "error", message: "Job can't depend on itself" };
  const status = id > own ? undefined : statusOf(id as JobId);
  if (status === undefined) {
    return { outcome: "error", message: `Dependency error: Job ${id} not found` };
  }
  if (!isFinalized(status)) {
    const list = wanted.join(", ");
    return { outcome: "wait", message: `Need to wait for job ${id}, wanted status '${list}'` };
  }
  if (status === "canceled" && !wanted.includes("canceled")) {
    return { outcome: "cancel", message: `Dependency job ${id} was cancelled` };
  }
  const finished = `Dependency job ${id} finished with status '${status}'`;
  if (wanted.length === 0 || wanted.some((one) => one === status)) {
    return { outcome: "run", message: finished };
  }
  return {
    outcome: "error",
    message: `${finished}, not one of '${wanted.join(", ")}' as required`,
  };
}
