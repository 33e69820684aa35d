/** Progress line of a long computation, on a terminal. */
import type { Ports } from "./ports.js";

export interface Progress {
  /** Replaces the line by `text`. */
  readonly tell: (text: string) => void;
  /** Clears the line; to be called before any other output to the terminal. */
  readonly clear: () => void;
}

/** Shorter computations show no progress. */
const silentMs = 1000;
/** Minimum time (ms) between two updates. */
const betweenMs = 100;

/** One line on stderr, rewritten periodically; does nothing if stderr is not a terminal. */
export async function progress({ terminal, stderr, now }: Ports): Promise<Progress> {
  const seen = await terminal("stderr");
  if (seen === undefined) return { tell: () => {}, clear: () => {} };
  let toldAt = now() + silentMs - betweenMs;
  let isShown = false;
  return {
    tell: (text) => {
      if (now() - toldAt < betweenMs) return;
      toldAt = now();
      isShown = true;
      stderr(`\r\u001b[K${text.slice(0, seen.columns - 1)}`);
    },
    clear: () => {
      if (isShown) stderr("\r\u001b[K");
      isShown = false;
    },
  };
}
