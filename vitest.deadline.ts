// Ends a suite at a point in time, and names the files that were left out.
//
// GANETI_TS_TESTS_UNTIL: seconds since 1970; a run without it takes the time it needs. The file that runs at that moment runs to
// its end, the files that wait are left out. They do not fail the run: a slow machine runs fewer tests, and says which.
// Names each file when it begins, so that a run that was ended from outside shows which one had not ended.
// For suites with one worker: files of other workers would be cut off.
import { relative } from "node:path";
import type { Reporter, TestModule, TestSpecification, Vitest } from "vitest/node";

const until = Number(process.env.GANETI_TS_TESTS_UNTIL ?? Number.POSITIVE_INFINITY);

export default class DeadlineReporter implements Reporter {
  #vitest: Vitest | undefined;
  readonly #waiting = new Set<string>();
  #isOver = false;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    for (const { moduleId } of specifications) this.#waiting.add(moduleId);
  }

  onTestModuleQueued({ moduleId }: TestModule): void {
    if (Number.isFinite(until)) console.log(`begins ${relative(process.cwd(), moduleId)}`);
  }

  onTestModuleEnd({ moduleId }: TestModule): void {
    this.#waiting.delete(moduleId);
    if (this.#waiting.size > 0 && Date.now() / 1000 >= until) {
      this.#isOver = true;
      // Ends when the run has ended, which waits for this report.
      void this.#vitest?.cancelCurrentRun("keyboard-input");
    }
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    if (!this.#isOver) return;
    console.log(`\n${this.#waiting.size} files left out, because the time of the suite was over:`);
    for (const file of this.#waiting) console.log(`  ${relative(process.cwd(), file)}`);
    // Vitest has an exit status of its own for an interrupted run.
    const isClean = errors.length === 0 && modules.every((module) => module.ok());
    if (isClean) process.exitCode = 0;
  }
}
