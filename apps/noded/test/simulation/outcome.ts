/** Simulated programs, and the error with which they end. */

/** Thrown where the real program would fail, with its text for standard error. */
export class Refused extends Error {
  override readonly name = "Refused";
  constructor(
    text: string,
    readonly code = 5,
  ) {
    super(text);
  }
}

/** A program of a simulated machine: gets its arguments, gives its output, or throws `Refused`. */
export type Program = (args: readonly string[]) => string;
