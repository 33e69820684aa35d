/** Time limit for operations that may hang, so that a test reports it long before its own timeout. */
import { setTimeout as pause } from "node:timers/promises";

/** Time (ms) after which an operation that takes seconds counts as hanging. */
const hangingMs = 300_000;

/** The error contains the state in which it hangs. */
export async function unlessHanging<T>(
  work: Promise<T>,
  state: () => Promise<string> | string,
): Promise<T> {
  const over = new AbortController();
  const late = pause(hangingMs, undefined, { signal: over.signal }).then(async () => {
    throw new Error(`no end after ${hangingMs / 1000} s: ${await state()}`);
  });
  late.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
  }
}
