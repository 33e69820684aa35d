/** systemRunner: runs programs on this machine. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { constants } from "node:os";
import { NodeFailure } from "../failure.js";
import { noteProgram } from "./left-programs.js";
import {
  type Command,
  commandText,
  type Detached,
  type Finished,
  lingerMsDefault,
  outputBytesMax,
  type Runner,
  shownWords,
} from "./runner.js";

/** `log` gets one line for each program; `programs` is the folder with records of programs that end with the daemon. */
export const systemRunner = (log: (line: string) => void, programs?: string): Runner => ({
  run: (command) => {
    log(`RunCmd ${commandText(command)}`);
    return run(command, command.endsWithDaemon === true ? programs : undefined);
  },
  detach: (command) => {
    log(`RunCmd ${commandText(command)}, detached`);
    return detach(command);
  },
});

/**
 * Arguments and variables are UTF-8. If one of them is not ASCII, the locale says so, because programs fail if they decode
 * such texts in the locale C.
 */
function environment({ args, env = {}, cleanEnv = false }: Command): NodeJS.ProcessEnv {
  const isAscii = [...args, ...Object.values(env)].every((text) => /^[\0-\x7f]*$/.test(text));
  if (cleanEnv) return isAscii ? { ...env } : { LC_CTYPE: "C.UTF-8", ...env };
  return { ...process.env, LC_ALL: isAscii ? "C" : "C.UTF-8", ...env };
}

/** Starts the child with its output in `outputFile`, if given; it inherits no descriptors of the daemon except `inherit`. */
function started(command: Command, isDetached: boolean): ChildProcess {
  const { program, args, cwd = "/", outputFile, inherit = [], input } = command;
  const file = outputFile === undefined ? undefined : openSync(outputFile, "a", 0o600);
  const output = file ?? (isDetached ? "ignore" : "pipe");
  try {
    return spawn(program, args, {
      cwd,
      env: environment(command),
      stdio: [input === undefined ? "ignore" : "pipe", output, output, ...inherit],
      // In its own session, so that limits end the program together with everything it has started.
      detached: true,
    });
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

const cannotRun = (command: Command, error: Error): NodeFailure =>
  new NodeFailure(
    `Can't execute '${shownWords(command).join(" ")}': ` +
      ((error as NodeJS.ErrnoException).code === "ENOENT"
        ? `not found (${error.message})`
        : error.message),
  );

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // The process has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function detach(command: Command): Promise<Detached> {
  return new Promise((resolve, reject) => {
    const child = started(command, true);
    child.once("error", (error) => reject(cannotRun(command, error)));
    child.once("spawn", () => {
      child.unref();
      resolve({ pid: child.pid as number });
    });
  });
}

function run(command: Command, programs?: string): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const { input } = command;
    const child = started(command, false);
    const forget =
      programs !== undefined && child.pid !== undefined
        ? noteProgram(programs, child.pid)
        : () => {};
    const kept = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    const ended = (code: number | null, signal: NodeJS.Signals | null): void => {
      const limit = limits.over();
      forget();
      const text = (parts: Buffer[]): string => Buffer.concat(parts).toString("utf8");
      resolve({
        command,
        code,
        signal: signal === null ? null : constants.signals[signal],
        stdout: text(kept.stdout),
        stderr: text(kept.stderr),
        limit,
      });
    };
    const limits = limited(child, command, () => ended(null, null));
    for (const name of ["stdout", "stderr"] as const) {
      let bytes = 0;
      child[name]?.on("data", (part: Buffer) => {
        bytes += part.length;
        if (bytes <= outputBytesMax) kept[name].push(part);
        else limits.exceeded();
      });
    }
    child.once("error", (error) => {
      limits.over();
      reject(cannotRun(command, error));
    });
    child.once("close", ended);
    // A program that does not read its input causes EPIPE, which is not a failure of the run.
    child.stdin?.on("error", () => {});
    if (input !== undefined) child.stdin?.end(input);
  });
}

interface Limits {
  /** Kills a program that prints too much. */
  exceeded(): void;
  /** Stops the timers and kills descendants that survived a limit; returns the limit that the program has reached. */
  over(): Finished["limit"];
}

/**
 * Ends a program together with its group at its limits. `onStuck` is called if it survives SIGKILL, e.g. because it waits
 * for a device in the kernel; the daemon then stops waiting for its end and its output.
 */
function limited(
  child: ChildProcess,
  { timeoutMs, lingerMs = lingerMsDefault }: Command,
  onStuck: () => void,
): Limits {
  let limit: Finished["limit"] = "none";
  let linger: NodeJS.Timeout | undefined;
  const kill = (reached: "killed" | "output"): void => {
    limit = reached;
    killGroup(child, "SIGKILL");
    linger = setTimeout(() => {
      if (limit === "killed") limit = "stuck";
      child.removeAllListeners("close");
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
      child.unref();
      onStuck();
    }, lingerMs);
  };
  const late = (): void => {
    if (limit !== "none") return;
    limit = "terminated";
    killGroup(child, "SIGTERM");
    linger = setTimeout(() => kill("killed"), lingerMs);
  };
  const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs);
  return {
    exceeded() {
      if (limit === "none") kill("output");
    },
    over() {
      clearTimeout(timer);
      clearTimeout(linger);
      // Descendants that ignore SIGTERM and have closed the output are still alive.
      if (limit === "terminated") killGroup(child, "SIGKILL");
      return limit;
    },
  };
}
