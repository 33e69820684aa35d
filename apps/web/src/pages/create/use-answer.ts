/** hail's answer to a question that changes as it is typed. */
import { useEffect, useState } from "preact/hooks";
import {
  type Capacity,
  capacityFor,
  explained,
  type InstanceAnswer,
} from "../../api/explanation.js";

export interface LiveAnswer {
  readonly answer?: InstanceAnswer;
  readonly capacity?: Capacity;
  readonly problem?: string;
  /** A newer answer is on its way. */
  readonly isPending: boolean;
}

/** Pause (ms) after the last key before the question is sent. */
const pauseMs = 200;

/** Number up to which further instances are counted. */
export const countMax = 200;

/**
 * The answer to `question`, which is sent again when `epoch` changes, because the cluster has changed then. Answers to
 * older questions are dropped. Undefined sends no request.
 */
export function useAnswer(question: object | undefined, epoch: number): LiveAnswer {
  const key = question && JSON.stringify(question);
  const [state, setState] = useState<LiveAnswer>({ isPending: true });
  useEffect(() => {
    if (key === undefined) return;
    const gone = new AbortController();
    setState((old) => ({ ...old, isPending: true }));
    const timer = setTimeout(async () => {
      try {
        const asked = JSON.parse(key) as object;
        const answer = await explained(asked, gone.signal);
        setState({ answer, isPending: false });
        if (answer.to.length === 0) return;
        const capacity = await capacityFor(asked, countMax, gone.signal);
        setState({ answer, capacity, isPending: false });
      } catch (error) {
        if (!gone.signal.aborted) setState({ problem: (error as Error).message, isPending: false });
      }
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [key, epoch]);
  return state;
}
