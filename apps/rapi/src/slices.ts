/** Background work in slices, during which the server stays responsive. */

/** Time (ms) of a slice, and of the pause after it. */
const sliceMs = 5;
const pauseMs = 5;

/** Runs work step by step in the background; returns a function that stops it. */
export function inSlices(work: Iterator<unknown>): () => void {
  let timer: NodeJS.Timeout | undefined;
  const slice = () => {
    const end = performance.now() + sliceMs;
    while (performance.now() < end) if (work.next().done) return;
    timer = setTimeout(slice, pauseMs).unref();
  };
  timer = setTimeout(slice, pauseMs).unref();
  return () => clearTimeout(timer);
}

/**
 * Runs work until it is done or `maxMs` have passed, with turns for other work in between. Promises returned by steps are
 * awaited.
 */
export async function forAtMost(maxMs: number, work: Iterator<unknown>): Promise<void> {
  const end = performance.now() + maxMs;
  for (let slice = performance.now(); performance.now() < end; ) {
    const { done, value } = work.next();
    if (done) return;
    if (value instanceof Promise) await value;
    if (performance.now() - slice < sliceMs) continue;
    await new Promise((resolve) => setImmediate(resolve));
    slice = performance.now();
  }
}

/**
 * Turns for one piece of work with several tasks: called before each step; returns a promise to await when a slice is over,
 * so that other work runs. A task must call it again after waiting, because other tasks may have used up the next slice.
 */
export function turns(): () => Promise<void> | undefined {
  let slice = performance.now();
  /** The pause that all tasks wait for, because they share a slice. */
  let pause: Promise<void> | undefined;
  return () => {
    if (pause !== undefined) return pause;
    if (performance.now() - slice < sliceMs) return undefined;
    pause = new Promise((resolve) => {
      setImmediate(() => {
        slice = performance.now();
        pause = undefined;
        resolve();
      });
    });
    return pause;
  };
}
