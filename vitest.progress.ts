// Progress of a run for people: how many files there are, how far the run is and about how long it still takes, and the
// reason of each failed test when it fails. The estimate weighs a file by its size, for want of anything better.
import { statSync } from "node:fs";
import { relative } from "node:path";
import type { Reporter, TestCase, TestModule, TestSpecification } from "vitest/node";

/** A line is printed each time this share of the run has been done. */
const shareOfLine = 0.1;

/** "45 s" or "3 min". */
const lasting = (seconds: number) =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.round(seconds / 60)} min`;

/** Lines about a run of files with these weights. `now` is in ms. */
export class Progress {
  readonly #begun: number;
  readonly #weights: ReadonlyMap<string, number>;
  readonly #total: number;
  #doneWeight = 0;
  #doneFiles = 0;
  #shown = 0;

  constructor(weights: ReadonlyMap<string, number>, now: number) {
    this.#weights = weights;
    this.#total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
    this.#begun = now;
  }

  /** Counts a file that has ended; the line to print, if one is due. */
  ended(file: string, now: number): string | undefined {
    this.#doneFiles++;
    this.#doneWeight += this.#weights.get(file) ?? 0;
    const share = this.#doneWeight / this.#total;
    if (share < this.#shown + shareOfLine || this.#doneFiles === this.#weights.size) return;
    this.#shown = share;
    const seconds = (now - this.#begun) / 1000;
    const left = (seconds / share) * (1 - share);
    return `${this.#doneFiles} of ${this.#weights.size} files after ${lasting(seconds)}, about ${lasting(left)} left`;
  }
}

export default class ProgressReporter implements Reporter {
  #progress = new Progress(new Map(), 0);

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    const files = specifications.map(({ moduleId }) => moduleId);
    this.#progress = new Progress(
      new Map(files.map((file) => [file, statSync(file).size])),
      Date.now(),
    );
    console.log(
      `${files.length} files of tests; a line about the progress follows for each tenth.`,
    );
  }

  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result();
    if (state !== "failed") return;
    const file = relative(process.cwd(), test.module.moduleId);
    console.log(`FAILED ${file} > ${test.fullName}: ${errors?.[0]?.message ?? "no reason given"}`);
  }

  onTestModuleEnd({ moduleId }: TestModule): void {
    const line = this.#progress.ended(moduleId, Date.now());
    if (line !== undefined) console.log(line);
  }
}
