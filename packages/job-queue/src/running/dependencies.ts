/** Dependencies between jobs: the verdict on an opcode that depends on others. */
import { type Dependency, isFinalized, type JobId, type JobStatus } from "@ganeti-ts/protocol";

export type DependencyVerdict = {
  readonly outcome: "run" | "wait" | "cancel" | "error";
  readonly message: string;
};

/**
 * Checks the dependencies of an opcode of job `own`, in order: the first one not satisfied decides.
 * `statusOf` covers all jobs, including archived ones; undefined means the job does not exist.
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
