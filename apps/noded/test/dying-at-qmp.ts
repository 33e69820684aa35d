/** dieAt: lets a daemon die at a chosen command to QEMU, after which its code has no more effects. */
import type { withQmp as realWithQmp } from "../src/hypervisor/kvm/qmp.js";
import type { Runner } from "../src/machine/runner.js";

type WithQmp = typeof realWithQmp;
type Qmp = Parameters<Parameters<WithQmp>[1]>[0];

export type Moment = "before" | "after";

export interface Life {
  /** Resolves when the daemon has died. */
  readonly death: Promise<void>;
  /** Runner of the daemon, which starts no program after its death. */
  readonly run: Runner;
}

class Death extends Error {}

interface Dying {
  readonly folder: string;
  /** Rejects when the daemon dies. */
  readonly over: Promise<never>;
  /** Carries out a command, unless the daemon dies at it or is dead. */
  step<T>(act: () => Promise<T>): Promise<T>;
}

let dying: Dying | undefined;

/**
 * Lets the daemon whose sockets are below `folder` die at its command number `at`, counted from 0: before QEMU gets the
 * command, or after QEMU has answered.
 */
export function dieAt(folder: string, runner: Runner, at: number, moment: Moment): Life {
  let count = 0;
  let isDead = false;
  let die = (): void => {};
  const death = new Promise<void>((resolve) => {
    die = resolve;
  });
  const end = (): never => {
    isDead = true;
    die();
    throw new Death();
  };
  const over = death.then((): never => {
    throw new Death();
  });
  over.catch(() => {});
  dying = {
    folder,
    over,
    async step(act) {
      if (isDead) throw new Death();
      const isLast = count++ === at;
      if (isLast && moment === "before") end();
      const answer = await act();
      return isLast ? end() : answer;
    },
  };
  const unlessDead =
    <Given, Ended>(start: (command: Given) => Promise<Ended>) =>
    (command: Given): Promise<Ended> =>
      isDead ? new Promise(() => {}) : start(command);
  return { death, run: { run: unlessDead(runner.run), detach: unlessDead(runner.detach) } };
}

/** Ends the effect of `dieAt`: no daemon dies any more. */
export function allLive(): void {
  dying = undefined;
}

/** Replacement for `withQmp`: a dead daemon gets neither answers nor errors. */
export const mortal =
  (withQmp: WithQmp): WithQmp =>
  async (path, action, timeoutMs) => {
    const mine = dying !== undefined && path.startsWith(`${dying.folder}/`) ? dying : undefined;
    if (mine === undefined) return withQmp(path, action, timeoutMs);
    try {
      // A dead daemon may wait for a program forever.
      return await withQmp(
        path,
        (qmp) => Promise.race([action(stepwise(qmp, mine)), mine.over]),
        timeoutMs,
      );
    } catch (error) {
      // The connection is closed, as the kernel does for a dead process.
      if (error instanceof Death) return new Promise(() => {});
      throw error;
    }
  };

const stepwise = (qmp: Qmp, { step }: Dying): Qmp => ({
  version: qmp.version,
  execute: (command, args) => step(() => qmp.execute(command, args)),
  executeThrough: (send, command, args) => step(() => qmp.executeThrough(send, command, args)),
  humanMonitor: (line) => step(() => qmp.humanMonitor(line)),
  awaited: (isWanted, limitMs) => qmp.awaited(isWanted, limitMs),
});
