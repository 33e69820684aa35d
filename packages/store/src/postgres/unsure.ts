/** The connection broke during a commit, whose result is unknown. */
export class Unsure extends Error {
  readonly stepNumber: number;
  readonly learn: () => void;

  constructor(stepNumber: number, learn: () => void, cause: unknown) {
    super("the connection broke during a commit", { cause });
    this.stepNumber = stepNumber;
    this.learn = learn;
  }
}
