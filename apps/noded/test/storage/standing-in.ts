/** Stand-ins for programs of storage that fail, hang or print garbage; they are found in PATH like the real ones. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { basename, join } from "node:path";
import { isThorough } from "@ganeti-ts/testkit";
import { type Command, commandText, type Finished, type Runner } from "../../src/machine/runner.js";
import { systemRunner } from "../../src/machine/system-runner.js";
import { finished } from "../a-context.js";

export const faults = ["fails", "hangs", "prints garbage"] as const;
export type Fault = (typeof faults)[number];

const scripts: Readonly<Record<Fault, string>> = {
  fails: 'echo "the device is broken" >&2; exit 5',
  // Its child ignores SIGTERM, so it survives unless the whole group is killed.
  hangs: `sh -c 'trap "" TERM; echo $$ >> "$STAND_IN/pids"; while :; do sleep 600; done' >/dev/null 2>&1 &
while [ ! -s "$STAND_IN/pids" ]; do sleep 0.01; done
exec sleep 600`,
  "prints garbage": "printf '|{\\001;%%\\n??? 7|7\\n'",
};

/** How the scripts end. */
const endings: Readonly<Record<Fault, Partial<Finished>>> = {
  fails: { code: 5, stderr: "the device is broken\n" },
  hangs: { code: null, signal: constants.signals.SIGTERM, limit: "terminated" },
  "prints garbage": { stdout: "|{\u0001;%\n??? 7|7\n" },
};

export interface StandIns {
  /**
   * A runner that replaces the program number `at` (from 0) by a stand-in and runs all others with `healthy`. The stand-in is a
   * real process if it is the first program; otherwise only its outcome is returned.
   */
  faulty(healthy: Runner, at: number, fault: Fault): FaultyRunner;
  /** Processes that stand-ins have left behind. */
  leftProcesses(): readonly number[];
}

export interface FaultyRunner {
  readonly run: Runner;
  /** The command that was hit; undefined if there were fewer. */
  hit(): Command | undefined;
}

const hangMs = 400;

/** `onHang` gets the time (ms) for which a program would have hung: its real limit. */
export function standIns(folder: string, onHang: (ms: number) => void): StandIns {
  const pids = join(folder, "pids");
  const place = (program: string, fault: Fault): string => {
    const directory = join(folder, fault.replace(" ", "-"));
    mkdirSync(directory, { recursive: true });
    const file = join(directory, basename(program));
    if (!existsSync(file)) {
      writeFileSync(file, `#!/bin/sh\n${scripts[fault]}\n`);
      chmodSync(file, 0o755);
    }
    return directory;
  };
  return {
    faulty(healthy, at, fault) {
      let count = 0;
      let found: Command | undefined;
      return {
        hit: () => found,
        run: {
          ...healthy,
          async run(command) {
            if (count++ !== at) return healthy.run(command);
            found = command;
            if (command.timeoutMs === undefined) {
              throw new Error(`no time limit: ${commandText(command)}`);
            }
            if (fault === "hangs") onHang(command.timeoutMs);
            if (at > 0 && !isThorough) {
              return finished(command, endings[fault]);
            }
            const directory = place(command.program, fault);
            writeFileSync(pids, "");
            const ended = await systemRunner(() => {}).run({
              ...command,
              program: basename(command.program),
              env: { ...command.env, PATH: `${directory}:${process.env.PATH}`, STAND_IN: folder },
              timeoutMs: fault === "hangs" ? hangMs : 600_000,
              // No SIGKILL, however long a busy machine takes to report the end.
              lingerMs: 600_000,
            });
            return { ...ended, command };
          },
        },
      };
    },
    leftProcesses() {
      const text = existsSync(pids) ? readFileSync(pids, "utf8") : "";
      return text.split("\n").filter(Boolean).map(Number).filter(isRunning);
    },
  };
}

function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
