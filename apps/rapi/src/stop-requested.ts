/** Stop requests to the process as an AbortSignal. */

/** Aborts at the first SIGINT or SIGTERM; a second one ends the process at once. Call it once. */
export function stopRequested(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => (stop.signal.aborted ? process.exit(1) : stop.abort()));
  }
  return stop.signal;
}
