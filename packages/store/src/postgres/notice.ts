/** Notifications of steps: `<worker> <revision>`, with a third word for progress that is not urgent. */

/** Text of a notification of progress; `keep_step` sends the urgent ones. */
export const progressNotice = (worker: number, revision: number): string =>
  `${worker} ${revision} progress`;

/** Meaning of a notification for one worker. */
export interface Heard {
  /** Whether it is about a step of another worker that this worker has not seen yet. */
  readonly isNews: boolean;
  /** Whether there may be jobs to start. */
  readonly isUrgent: boolean;
}

/** `own` and `seen`: number of this worker, and the last revision that it knows. */
export function heard(payload: string, own: number, seen: number | undefined): Heard {
  // The connection was interrupted: anything may have been missed.
  if (payload === "") return { isNews: true, isUrgent: true };
  const [worker, revision, word] = payload.split(" ");
  const isNews = Number(worker) !== own && (seen === undefined || Number(revision) > seen);
  return { isNews, isUrgent: isNews && word === undefined };
}
