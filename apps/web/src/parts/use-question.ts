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
 * The answer to `question`, which is sent again when `epoch` changes, after a change of the cluster. `ask` passes the answer
 * to `tell`, once or as it becomes more complete. Answers to older questions are dropped. Undefined sends no request.
 */
export function useQuestion<Answer extends object>(
  question: object | undefined,
  epoch: number,
  ask: (question: object, signal: AbortSignal, tell: (answer: Answer) => void) => Promise<void>,
): Answering<Answer> {
  const key = question && JSON.stringify(question);
  const [state, setState] = useState<Answering<Answer>>({ isPending: true } as Answering<Answer>);
  useEffect(() => {
    if (key === undefined) return;
    const gone = new AbortController();
    const set = (next: object) => setState({ ...next, isPending: false } as Answering<Answer>);
    setState((old) => ({ ...old, isPending: true }));
    const timer = setTimeout(() => {
      ask(JSON.parse(key), gone.signal, (answer) => {
        if (!gone.signal.aborted) set(answer);
      }).catch((error: Error) => {
        if (!gone.signal.aborted) set({ problem: error.message });
      });
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [key, epoch]);
  return state;
}
