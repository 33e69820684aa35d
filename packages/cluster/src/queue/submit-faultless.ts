/** submitFaultless: submits several jobs of which some have been refused beforehand. */
import type { Submitted } from "@ganeti-ts/job-queue";
import type { JsonObject } from "@ganeti-ts/protocol";

type Opcodes = readonly JsonObject[];

/** Submits the jobs for which `faultOf` is undefined; the others are answered with their fault. */
export async function submitFaultless(
  jobs: readonly Opcodes[],
  faultOf: (opcodes: Opcodes) => string | undefined,
  submitMany: (jobs: readonly Opcodes[]) => Promise<readonly Submitted[]>,
): Promise<readonly Submitted[]> {
  const faults = jobs.map(faultOf);
  // The entry stays in the list, because dependencies are relative to positions; an empty job is refused.
  const answers = await submitMany(jobs.map((job, at) => (faults[at] === undefined ? job : [])));
  return answers.map((answer, at): Submitted => {
    const fault = faults[at];
    return fault === undefined ? answer : [false, fault];
  });
}
