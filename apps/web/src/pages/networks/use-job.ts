/** useJob: hook for requests that are answered with a job. */
import { useState } from "preact/hooks";

export const pathOf = (name: string): string => `/2/networks/${encodeURIComponent(name)}`;

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
  return { ...outcome, isBusy, submit };
}
