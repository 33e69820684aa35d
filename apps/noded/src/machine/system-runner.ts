/** Runner on the machine itself. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { constants } from "node:os";
import { NodeFailure } from "../failure.js";
import {
  type Command,
  commandText,
  type Detached,
  type Finished,
  lingerMsDefault,
  outputBytesMaxDefault,
  type Runner,
  shownWords,
} from "./runner.js";

/** `log` gets one line for each program. */
export const systemRunner = (log: (line: string) => void): Runner => ({
  run: (command) => {
    log(`RunCmd ${commandText(command)}`);
    return run(command);
  },
  detach: (command) => {
    log(`RunCmd ${commandText(command)}, detached`);
    return detach(command);
  },
});

const environment = ({ env = {}, cleanEnv = false }: Command): NodeJS.ProcessEnv =>
  cleanEnv ? { ...env } : { ...process.env, LC_ALL: "C", ...env };

/** The child with its output in `file`, if any; descriptors of the daemon are not inherited but for `inherit`. */
function started(command: Command, isDetached: boolean): ChildProcess {
  const { program, args, cwd = "/", outputFile, inherit = [], input } = command;
  const file = outputFile === undefined ? undefined : openSync(outputFile, "a", 0o600);
  const output = file ?? (isDetached ? "ignore" : "pipe");
  try {
    return spawn(program, args, {
      cwd,
      env: environment(command),
      stdio: [input === undefined ? "ignore" : "pipe", output, output, ...inherit],
      // A session of its own, so that limits end the program together with all that it has started.
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
    // It has ended in the meantime.
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

function run(command: Command): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const { timeoutMs, lingerMs = lingerMsDefault, input } = command;
    const { outputBytesMax = outputBytesMaxDefault } = command;
    const child = started(command, false);
    let limit: Finished["limit"] = "none";
    let linger: NodeJS.Timeout | undefined;
    const kept = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    for (const name of ["stdout", "stderr"] as const) {
      let bytes = 0;
      child[name]?.on("data", (part: Buffer) => {
        bytes += part.length;
        if (bytes <= outputBytesMax) kept[name].push(part);
        else if (limit === "none") {
          limit = "output";
          killGroup(child, "SIGKILL");
        }
      });
    }
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            if (limit !== "none") return;
            limit = "terminated";
            killGroup(child, "SIGTERM");
            linger = setTimeout(() => {
              limit = "killed";
              killGroup(child, "SIGKILL");
            }, lingerMs);
          }, timeoutMs);
    const over = (): void => {
      clearTimeout(timer);
      clearTimeout(linger);
    };
    child.once("error", (error) => {
      over();
      reject(cannotRun(command, error));
    });
    child.once("close", (code, signal) => {
      over();
      const text = (parts: Buffer[]): string => Buffer.concat(parts).toString("utf8");
      resolve({
        command,
        code,
        signal: signal === null ? null : constants.signals[signal],
        stdout: text(kept.stdout),
        stderr: text(kept.stderr),
        limit,
      });
    });
    // A program that does not read its input closes it, which is not a failure of the run.
    child.stdin?.on("error", () => {});
    if (input !== undefined) child.stdin?.end(input);
  });
}
