/** Tells a person at a terminal what a long computation is doing. */
import type { Ports } from "./ports.js";

export interface Progress {
  /** Shows `text` in place of what was shown before. */
  readonly tell: (text: string) => void;
  /** Takes away what is shown; before anything else is written to the terminal. */
  readonly clear: () => void;
}

/** A computation that ends sooner is not worth a word. */
const silentMs = 1000;
/** A person reads no faster. */
const betweenMs = 100;

/** One line on stderr, rewritten now and then; nothing where stderr is no terminal. */
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
