/** Types of simulated programs and of their failures. */

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

/** A program of a simulated machine: gets its arguments and returns its output, or throws `Refused`. */
export type Program = (args: readonly string[]) => string;
