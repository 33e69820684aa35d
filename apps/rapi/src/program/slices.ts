/** Work that can wait, done while nobody waits for it. */

/** So long, in ms, a slice may take, and so long others have their turn after it. */
const sliceMs = 5;
const pauseMs = 5;

/** Goes on step by step until the work is done, or what this gives is called. */
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
