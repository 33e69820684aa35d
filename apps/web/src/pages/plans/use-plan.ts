/** usePlan: a plan computed by the server, requested again when the question changes. */
import { useState } from "preact/hooks";
import { type Answering, useQuestion } from "../../parts/use-question.js";

export type Planning<Plan> = Answering<{ readonly plan: Plan }> & { again(): void };

/** `key` identifies the question; undefined sends no request. The request of an outdated question is aborted. */
export function usePlan<Plan>(
  key: string | undefined,
  read: (signal: AbortSignal) => Promise<Plan>,
): Planning<Plan> {
  const [turn, setTurn] = useState(0);
  const answer = useQuestion<{ readonly plan: Plan }>(
    key,
    turn,
    async (signal, tell) => tell({ plan: await read(signal) }),
    false,
  );
  return { ...answer, again: () => setTurn((old) => old + 1) };
}
