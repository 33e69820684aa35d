/** dyingRunner: a runner with which the daemon dies at a chosen program: its code stops, and programs that it has started continue. */
import { closeSync } from "node:fs";
import type { Command, Runner } from "../src/machine/runner.js";

export interface DyingRunner extends Runner {
  /** Resolves when the daemon has died. */
  readonly death: Promise<void>;
}

/** When the daemon dies: just before a program starts, while it runs, or after it has ended. */
export type Moment = "before" | "during" | "after";

/** Dies at the program with the number `at`, counted from 0. */
export function dyingRunner(runner: Runner, at: number, moment: Moment): DyingRunner {
  let count = 0;
  let isDead = false;
  let die = (): void => {};
  const death = new Promise<void>((resolve) => {
    die = resolve;
  });
  /** Neither resolves nor rejects, because a dead daemon runs no code, not even cleanups. */
  const never = <T>(): Promise<T> => {
    isDead = true;
    die();
    return new Promise<T>(() => {});
  };
  /** Closes files as the kernel does for a dead daemon, which releases their locks. */
  const died = <T>(command: Pick<Command, "inherit">): Promise<T> => {
    for (const descriptor of command.inherit ?? []) {
      if (typeof descriptor === "number") closeSync(descriptor);
      else descriptor.destroy();
    }
    return never();
  };
  const dying =
    <Given extends Pick<Command, "inherit">, Ended>(start: (command: Given) => Promise<Ended>) =>
    async (command: Given): Promise<Ended> => {
      if (isDead) return never();
      const isLast = count++ === at;
      if (isLast && moment === "before") return died(command);
      const ending = start(command);
      if (isLast && moment === "during") return died(command);
      const ended = await ending;
      if (isLast) return died(command);
      return isDead ? never() : ended;
    };
  return { death, run: dying(runner.run), detach: dying(runner.detach) };
}

/**
 * Kills the daemon at every program that `action` runs, at each of these moments; `recovered` then checks a daemon that
 * starts afterwards. Returns the number of deaths.
 */
export async function atEveryProgram(
  runner: Runner,
  action: (run: Runner) => Promise<unknown>,
  recovered: (at: string) => Promise<void>,
  moments: readonly Moment[] = ["before", "after"],
): Promise<number> {
  let deaths = 0;
  for (const moment of moments) {
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
