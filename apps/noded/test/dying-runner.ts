/** A runner under which the daemon dies at a chosen program: its code goes no further, and what it has started goes on. */
import type { Runner } from "../src/machine/runner.js";

export interface DyingRunner extends Runner {
  /** Resolves when the daemon has died. */
  readonly death: Promise<void>;
}

/** Dies right before or after the program with the number `at`, counted from 0. */
export function dyingRunner(runner: Runner, at: number, moment: "before" | "after"): DyingRunner {
  let count = 0;
  let isDead = false;
  let die = (): void => {};
  const death = new Promise<void>((resolve) => {
    die = resolve;
  });
  /** Neither an answer nor an error: no code of a dead daemon runs, not even that which cleans up. */
  const never = <T>(): Promise<T> => {
    isDead = true;
    die();
    return new Promise<T>(() => {});
  };
  const dying =
    <Command, Ended>(start: (command: Command) => Promise<Ended>) =>
    async (command: Command): Promise<Ended> => {
      if (isDead) return never();
      const isLast = count++ === at;
      if (isLast && moment === "before") return never();
      const ended = await start(command);
      return isLast || isDead ? never() : ended;
    };
  return { death, run: dying(runner.run), detach: dying(runner.detach) };
}

export type Moment = Parameters<typeof dyingRunner>[2];

/**
 * Kills the daemon at every program that `action` runs, before and after it; `recovered` then judges a daemon that begins
 * afterwards. Gives the number of deaths.
 */
export async function atEveryProgram(
  runner: Runner,
  action: (run: Runner) => Promise<unknown>,
  recovered: (at: string) => Promise<void>,
): Promise<number> {
  let deaths = 0;
  for (const moment of ["before", "after"] as const) {
    for (let at = 0; ; at++) {
      const dying = dyingRunner(runner, at, moment);
      const isDead = await Promise.race([
        dying.death.then(() => true),
        action(dying).then(() => false),
      ]);
      await recovered(isDead ? `${moment} program ${at}` : "after the whole call");
      if (!isDead) break;
      deaths += 1;
    }
  }
  return deaths;
}
