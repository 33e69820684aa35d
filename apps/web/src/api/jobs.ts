/** Submission of jobs by the page. */
import { ask } from "./server.js";

type Answer = { readonly refused: string } | { readonly id: number };

export interface SubmittedJobs {
  readonly ids: readonly number[];
  /** Reasons of the queue, one for each refused job. */
  readonly refusals: readonly string[];
}

const outcomeOf = (answers: readonly Answer[]): SubmittedJobs => ({
  ids: answers.flatMap((one) => ("id" in one ? one.id : [])),
  refusals: answers.flatMap((one) => ("refused" in one ? one.refused : [])),
});

/** Jobs of any opcodes, for users with the option full. @throws ServerError */
export const submitJobs = async (jobs: unknown): Promise<SubmittedJobs> =>
  outcomeOf(await ask("POST", "/ganeti-ts/1/jobs", { jobs }));

/**
 * The jobs of a plan, for users with the option write.
 * @param atOnce maximum number of jobs that run concurrently
 * @throws ServerError
 */
export const submitMoves = async (
  jobs: unknown,
  reason: string,
  atOnce?: number,
): Promise<SubmittedJobs> =>
  outcomeOf(
    await ask("POST", `/ganeti-ts/1/moves?reason=${encodeURIComponent(reason)}`, {
      jobs,
      ...(atOnce !== undefined && { at_once: atOnce }),
    }),
  );
