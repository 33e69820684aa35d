/**
 * Lets a daemon die at each program that it runs, or at each command that it sends to QEMU: its code stops, and programs that it
 * has started continue.
 */
import { closeSync } from "node:fs";
import type { withQmp as realWithQmp } from "../src/hypervisor/kvm/qmp.js";
import type { Command, Runner } from "../src/machine/runner.js";
import type { TestDaemon, TestNode } from "./machine-namespace.js";

type WithQmp = typeof realWithQmp;

/** When the daemon dies: just before a program or command starts, while it runs, or after it has ended. */
export type Moment = "before" | "during" | "after";

class Death extends Error {
  constructor(readonly isFirst: boolean) {
    super();
  }
}

/** Neither resolves nor rejects, because a dead daemon runs no code, not even cleanups. */
const never = <T>(): Promise<T> => new Promise(() => {});

interface Life {
  readonly isDead: () => boolean;
  /** Resolves when the daemon has died. */
  readonly death: Promise<void>;
  /** Carries out a program or command; rejects with `Death` if the daemon dies at it or is dead. */
  step<T>(act: () => Promise<T>): Promise<T>;
}

/** Life of a daemon that dies at its step number `at`, counted from 0. */
function mortalLife(at: number, moment: Moment): Life {
  let count = 0;
  let isDead = false;
  let die = (): void => {};
  const death = new Promise<void>((resolve) => {
    die = resolve;
  });
  const end = (): never => {
    const isFirst = !isDead;
    isDead = true;
    die();
    throw new Death(isFirst);
  };
  return {
    death,
    isDead: () => isDead,
    async step(act) {
      const isLast = count++ === at;
      if (isDead || (isLast && moment === "before")) end();
      const acting = act();
      if (isLast && moment === "during") end();
      const answer = await acting;
      return isDead || isLast ? end() : answer;
    },
  };
}

type Start<Given, Ended> = (command: Given) => Promise<Ended>;

/** The runner with other functions that start programs. */
const changed = (
  { run, detach }: Runner,
  change: <Given extends Pick<Command, "inherit">, Ended>(
    start: Start<Given, Ended>,
  ) => Start<Given, Ended>,
): Runner => ({ run: change(run), detach: change(detach) });

/** Kills a daemon at each of its steps, at each of these moments. Returns the number of deaths. */
async function atEvery(
  step: "program" | "command",
  moments: readonly Moment[],
  live: (life: Life) => Promise<unknown>,
  recovered: (at: string) => Promise<void>,
): Promise<number> {
  let deaths = 0;
  for (const moment of moments) {
    for (let at = 0; ; at++) {
      const life = mortalLife(at, moment);
      const isDead = await Promise.race([
        life.death.then(() => true),
        live(life).then(() => false),
      ]);
      await recovered(isDead ? `${moment} ${step} ${at}` : "after the whole call");
      if (!isDead) break;
      deaths += 1;
    }
  }
  return deaths;
}

/**
 * Kills the daemon at every program that `action` runs, at each of these moments; `recovered` then checks a daemon that
 * starts afterwards. Returns the number of deaths.
 */
export const atEveryProgram = (
  runner: Runner,
  action: (run: Runner) => Promise<unknown>,
  recovered: (at: string) => Promise<void>,
  moments: readonly Moment[] = ["before", "after"],
): Promise<number> => {
  const dying = ({ step }: Life) =>
    changed(
      runner,
      (start) => (command) =>
        step(() => start(command)).catch((error) => {
          if (!(error instanceof Death)) throw error;
          // As the kernel does for a dead daemon, which releases the locks of its files.
          for (const descriptor of (error.isFirst && command.inherit) || []) {
            if (typeof descriptor === "number") closeSync(descriptor);
            else descriptor.destroy();
          }
          return never();
        }),
    );
  return atEvery("program", moments, (life) => action(dying(life)), recovered);
};

let doomed: { readonly folder: string; readonly life: Life } | undefined;

/**
 * Kills the daemon of the node before and after each command to QEMU of `action`; `recovered` then checks the state that a new
 * daemon finds. After one command and before the next are the same moment if nothing happens in between. `prepare` is called
 * before the start of each daemon. Returns the number of deaths. The module of `withQmp` has to be mocked with `mortal`.
 */
export const atEveryCommand = (
  { context, begun }: TestNode,
  action: (daemon: TestDaemon) => Promise<unknown>,
  recovered: (at: string) => Promise<void>,
  {
    prepare = async () => {},
    moments = ["before", "after"],
  }: { prepare?: () => Promise<unknown>; moments?: readonly Moment[] } = {},
): Promise<number> =>
  atEvery(
    "command",
    moments,
    async (life) => {
      await prepare();
      doomed = { folder: context.paths.root, life };
      const run = changed(
        context.run,
        (start) => (command) => (life.isDead() ? never() : start(command)),
      );
      await action(await begun(run));
    },
    (at) => {
      doomed = undefined;
      return recovered(at);
    },
  );

/** Replacement for `withQmp`: a dead daemon gets neither answers nor errors. */
export const mortal =
  (withQmp: WithQmp): WithQmp =>
  async (path, action, timeoutMs) => {
    const life = doomed !== undefined && path.startsWith(`${doomed.folder}/`) ? doomed.life : null;
    if (life === null) return withQmp(path, action, timeoutMs);
    const over = life.death.then((): never => {
      throw new Death(false);
    });
    over.catch(() => {});
    try {
      return await withQmp(
        path,
        (qmp) =>
          // A dead daemon may wait for a program forever.
          Promise.race([
            over,
            action({
              ...qmp,
              execute: (command, args) => life.step(() => qmp.execute(command, args)),
              executeThrough: (send, command, args) =>
                life.step(() => qmp.executeThrough(send, command, args)),
              humanMonitor: (line) => life.step(() => qmp.humanMonitor(line)),
            }),
          ]),
        timeoutMs,
      );
    } catch (error) {
      // The connection is closed, as the kernel does for a dead process.
      if (error instanceof Death) return never();
      throw error;
    }
  };
