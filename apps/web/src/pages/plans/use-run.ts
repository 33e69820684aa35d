/** useRun: the submitted jobs of a plan, whose ids are in the URL, so that a reload finds them. */
import { useState } from "preact/hooks";
import { replaceArgs, useAddress } from "../../address.js";
import { type SubmittedJobs, submitMoves } from "../../api/jobs.js";
import { idsIn, textOfIds } from "./job-ids.js";

export interface Run {
  readonly ids: readonly number[];
  readonly problem: string | undefined;
  readonly isBusy: boolean;
  submit(jobs: unknown, reason: string, atOnce?: number): Promise<void>;
  close(): void;
}

const refused = ({ refusals }: SubmittedJobs): string | undefined =>
  refusals.length === 0
    ? undefined
    : `${refusals.length} ${refusals.length === 1 ? "job was" : "jobs were"} refused: ${refusals[0]}`;

/** @param onClose called when the user closes the jobs to make another plan */
export function useRun(onClose: () => void): Run {
  const address = useAddress();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  return {
    ...{ ids: idsIn(address.args.get("jobs") ?? ""), problem, isBusy },
    async submit(jobs, reason, atOnce) {
      setBusy(true);
      try {
        const answer = await submitMoves(jobs, reason, atOnce);
        setProblem(refused(answer));
        if (answer.ids.length > 0) replaceArgs(address, { jobs: textOfIds(answer.ids) });
      } catch (error) {
        setProblem((error as Error).message);
      }
      setBusy(false);
    },
    close() {
      setProblem(undefined);
      replaceArgs(address, { jobs: "" });
      onClose();
    },
  };
}
