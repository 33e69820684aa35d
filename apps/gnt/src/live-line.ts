/** A line at the bottom of a terminal that tells how far things are, and is gone when they are done. */
import type { Output } from "./invocation.js";

export class LiveLine {
  readonly #out: Output;
  #shown = "";

  constructor(out: Output) {
    this.#out = out;
  }

  /** Nothing happens where the output is no terminal. */
  show(text: string): void {
    const { terminal } = this.#out;
    if (terminal === undefined) return;
    // A line that is broken in two could not be taken back.
    const cut = [...text].slice(0, Math.max(0, terminal.columns - 1)).join("");
    if (cut === this.#shown) return;
    this.#out.write(`\r\x1b[K${terminal.colour ? `\x1b[2m${cut}\x1b[0m` : cut}`);
    this.#shown = cut;
  }

  /** Before anything else is printed. */
  clear(): void {
    if (this.#shown === "") return;
    this.#out.write("\r\x1b[K");
    this.#shown = "";
  }
}
