/** useQuestion: hook for the answer to a question that changes while the user types. */
import { useEffect, useState } from "preact/hooks";

/** The answer, and the state of the request. */
export type Answering<Answer extends object> = Partial<Answer> & {
  readonly problem?: string;
  /** Whether a newer answer is expected. */
  readonly isPending: boolean;
};

/** Pause (ms) after the last key before the question is sent. */
const pauseMs = 200;

/**
 * The answer to the question that `key` identifies, which is sent again when `epoch` changes, after a change of the cluster.
 * `ask` passes the answer to `tell`, once or as it becomes more complete. Answers to older questions are dropped. Undefined
 * sends no request.
 * @param isKept whether the old answer stays until there is a new one
 */
export function useQuestion<Answer extends object>(
  key: string | undefined,
  epoch: number,
  ask: (signal: AbortSignal, tell: (answer: Answer) => void) => Promise<void>,
  isKept = true,
): Answering<Answer> {
  const [state, setState] = useState({ isPending: isKept } as Answering<Answer>);
  useEffect(() => {
    if (!isKept) setState({ isPending: key !== undefined } as Answering<Answer>);
    if (key === undefined) return;
    const gone = new AbortController();
    const set = (next: object) => {
      if (!gone.signal.aborted) setState({ ...next, isPending: false } as Answering<Answer>);
    };
    setState((old) => ({ ...old, isPending: true }));
    const timer = setTimeout(() => {
      ask(gone.signal, set).catch((error: Error) => set({ problem: error.message }));
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [key, epoch]);
  return state;
}
