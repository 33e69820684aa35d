/** Background work in slices, during which the server stays responsive. */

/** Time (ms) of a slice, and of the pause after it. */
const sliceMs = 5;
const pauseMs = 5;

/** Runs step by step until the work is done; returns a function that stops it. */
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
 * Goes on until the work is done or `maxMs` have gone by; whatever else there is has its turn in between. A step
 * that gives a promise is waited for.
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
 * Turns of one piece of work, whichever of its tasks asks: called before each step, gives a promise to be waited for
 * whenever a slice is over, so that other work runs. A task asks again after waiting, because others may have used the
 * next slice up.
 */
export function turns(): () => Promise<void> | undefined {
  let slice = performance.now();
  /** One for all tasks: they share a slice. */
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
