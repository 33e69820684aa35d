/** useJob: hook for requests that are answered with a job. */
import { useState } from "preact/hooks";
import { JobNotice } from "./job-notice.js";
import { Notice } from "./notice.js";

interface Outcome {
  readonly job?: number;
  readonly problem?: string;
}

/** The job of the last request, or the reason for its refusal; `submit` returns whether it was accepted. */
export function useJob() {
  const [outcome, setOutcome] = useState<Outcome>({});
  const [isBusy, setBusy] = useState(false);
  const submit = async (request: () => Promise<unknown>): Promise<boolean> => {
    setOutcome({});
    setBusy(true);
    try {
      setOutcome({ job: Number(await request()) });
      return true;
    } catch (error) {
      setOutcome({ problem: (error as Error).message });
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { outcome, busy: isBusy ? "The request is on its way" : undefined, submit };
}

/** `done` is the page of the object when the job has succeeded. */
export const JobOutcome = ({ of, done }: { of: Outcome; done: readonly string[] }) => (
  <>
    {of.problem && <Notice kind="error">{of.problem}</Notice>}
    {of.job !== undefined && <JobNotice id={of.job} done={done} />}
  </>
);
