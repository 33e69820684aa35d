/** usePlan: a plan computed by the server, requested again when the question changes. */
import { useEffect, useState } from "preact/hooks";

export interface Planning<Plan> {
  readonly plan: Plan | undefined;
  readonly problem: string | undefined;
  readonly isPending: boolean;
  again(): void;
}

/** Pause (ms) after the last change before the request is sent. */
const pauseMs = 250;

/** `key` identifies the question; undefined sends no request. The request of an outdated question is aborted. */
export function usePlan<Plan>(
  key: string | undefined,
  read: (signal: AbortSignal) => Promise<Plan>,
): Planning<Plan> {
  const [state, setState] = useState<{ plan?: Plan; problem?: string }>({});
  const [isPending, setPending] = useState(false);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    setState({});
    setPending(key !== undefined);
    if (key === undefined) return;
    const gone = new AbortController();
    const timer = setTimeout(() => {
      read(gone.signal)
        .then(
          (plan) => ({ plan }),
          (error: Error) => ({ problem: error.message }),
        )
        .then((answer) => {
          if (gone.signal.aborted) return;
          setState(answer);
          setPending(false);
        });
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [key, turn]);
  return {
    plan: state.plan,
    problem: state.problem,
    isPending,
    again: () => setTurn((old) => old + 1),
  };
}
