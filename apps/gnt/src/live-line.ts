/** A line at the bottom of a terminal that tells how far things are, and is gone when they are done. */
import type { Output, Terminal } from "./invocation.js";

/**
 * While a window is dragged it has a new size many times a second: what is drawn for one of them stands in
 * another. Nothing is drawn until it has kept its size for so long, in ms.
 */
const settleMs = 100;

/** For so many columns. */
export type LiveText = (columns: number) => string;

/** What it needs of the output. */
export type TerminalOutput = Pick<Output, "terminal" | "colour" | "write">;

export class LiveLine {
  readonly #out: TerminalOutput;
  #text: LiveText = () => "";
  /** What stands there. */
  #shown = "";
  #stopListening: (() => void) | undefined;
  #settling: NodeJS.Timeout | undefined;

  constructor(out: TerminalOutput) {
    this.#out = out;
  }

  /** Nothing happens where the output is no terminal. */
  show(text: LiveText): void {
    const { terminal } = this.#out;
    if (terminal === undefined) return;
    this.#text = text;
    this.#listen(terminal);
    this.#draw(terminal);
  }

  /** Before anything else is printed. */
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
        // The shell has written below it meanwhile: it stays where it was.
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
    // A line as wide as the terminal may leave the cursor on the next one.
    const columns = Math.max(0, terminal.columns - 1);
    const cut = [...this.#text(columns)].slice(0, columns).join("");
    if (cut === this.#shown && !anew) return;
    const painted = this.#out.colour ? `\x1b[2m${cut}\x1b[0m` : cut;
    this.#out.write(eraser(this.#shown, terminal) + painted);
    this.#shown = cut;
  }
}

/**
 * Takes back what stands there, from its beginning: where the terminal has become narrower, and breaks lines
 * anew, that is on a line above.
 */
function eraser(shown: string, { columns, reflows }: Terminal): string {
  const rows = reflows ? Math.max(1, Math.ceil([...shown].length / Math.max(1, columns))) : 1;
  return rows === 1 ? "\r\x1b[K" : `\r\x1b[${rows - 1}A\x1b[J`;
}
