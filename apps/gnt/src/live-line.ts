/** Live line at the bottom of a terminal: shows progress and disappears at the end. */
import type { Output, Terminal } from "./invocation.js";

/**
 * Time (ms) for which the size of the terminal must be stable before the line is drawn: a window
 * that is being resized changes many times a second, and output for one size would appear in
 * another.
 */
const settleMs = 100;

/** Text for a width in columns. */
export type LiveText = (columns: number) => string;

/** The parts of the output that a live line uses. */
export type TerminalOutput = Pick<Output, "terminal" | "colour" | "write">;

export class LiveLine {
  readonly #out: TerminalOutput;
  #text: LiveText = () => "";
  /** The text on the terminal. */
  #shown = "";
  #stopListening: (() => void) | undefined;
  #settling: NodeJS.Timeout | undefined;

  constructor(out: TerminalOutput) {
    this.#out = out;
  }

  /** Does nothing if the output is not a terminal. */
  show(text: LiveText): void {
    const { terminal } = this.#out;
    if (terminal === undefined) return;
    this.#text = text;
    this.#listen(terminal);
    this.#draw(terminal);
  }

  /** To be called before other output. */
  clear(): void {
    const { terminal } = this.#out;
    this.#stopListening?.();
    this.#stopListening = undefined;
    this.#settle();
    if (terminal === undefined || this.#shown === "") return;
    this.#out.write(eraser(this.#shown, terminal));
    this.#shown = "";
  }

  #listen(terminal: Terminal): void {
    if (this.#stopListening !== undefined) return;
    const stops = [
      terminal.onResize(() => {
        this.#settle();
        this.#settling = setTimeout(() => {
          this.#settle();
          this.#draw(terminal, true);
        }, settleMs);
      }),
      terminal.onResume(() => {
        // The shell has printed below it meanwhile, so the old text cannot be erased.
        this.#shown = "";
        this.#draw(terminal);
      }),
    ];
    this.#stopListening = () => {
      for (const stop of stops) stop();
    };
  }

  #settle(): void {
    clearTimeout(this.#settling);
    this.#settling = undefined;
  }

  #draw(terminal: Terminal, anew = false): void {
    if (this.#settling !== undefined) return;
    // A line as wide as the terminal may put the cursor on the next row.
    const columns = Math.max(0, terminal.columns - 1);
    const cut = [...this.#text(columns)].slice(0, columns).join("");
    if (cut === this.#shown && !anew) return;
    const painted = this.#out.colour ? `\x1b[2m${cut}\x1b[0m` : cut;
    this.#out.write(eraser(this.#shown, terminal) + painted);
    this.#shown = cut;
  }
}

/**
 * Escape sequence that erases the text from its beginning, which is on an earlier row if the
 * terminal has become narrower and wraps lines again.
 */
function eraser(shown: string, { columns, reflows }: Terminal): string {
  const rows = reflows ? Math.max(1, Math.ceil([...shown].length / Math.max(1, columns))) : 1;
  return rows === 1 ? "\r\x1b[K" : `\r\x1b[${rows - 1}A\x1b[J`;
}
