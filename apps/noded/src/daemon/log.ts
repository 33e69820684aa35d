/** Log of the daemon, with lines in the format of Ganeti's daemons. */

import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { DaemonLog } from "../context.js";

/** `write` gets whole lines; messages of level debug only if `isDebug`. */
export function daemonLog(
  write: (line: string) => void,
  isDebug: boolean,
  now: () => Date = () => new Date(),
): DaemonLog {
  const at =
    (level: string) =>
    (message: string): void => {
      const text = message.replaceAll("\n", "\n  ");
      write(`${timeOf(now())}: ganeti-ts-noded pid=${process.pid} ${level} ${text}\n`);
    };
  return {
    debug: isDebug ? at("DEBUG") : () => {},
    info: at("INFO"),
    warn: at("WARNING"),
    error: at("ERROR"),
  };
}

/** Local time as `2026-11-22 12:07:25,577`. */
function timeOf(time: Date): string {
  const pad = (value: number, digits = 2): string => String(value).padStart(digits, "0");
  const date = [time.getFullYear(), pad(time.getMonth() + 1), pad(time.getDate())].join("-");
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map((one) => pad(one));
  return `${date} ${clock.join(":")},${pad(time.getMilliseconds(), 3)}`;
}

/** `consolePath` is opened at once, because the disks may have failed later. It may be missing. */
export function openLogFile(path: string, consolePath = "/dev/console") {
  mkdirSync(dirname(path), { recursive: true, mode: 0o750 });
  const open = (): number => openSync(path, "a", 0o600);
  let descriptor = open();
  const fallback = opened(consolePath);
  const show = (text: string): void => {
    if (fallback === null) return;
    try {
      writeSync(fallback, text);
    } catch {
      // There is nowhere else to report this.
    }
  };
  return {
    write(line: string): void {
      try {
        writeSync(descriptor, line);
      } catch {
        show(`Cannot log message:\n${line}`);
      }
    },
    /** Starts a new file after the old one has been renamed. */
    reopen(): void {
      try {
        const fresh = open();
        closeSync(descriptor);
        descriptor = fresh;
      } catch (error) {
        show(`Cannot reopen ${path}: ${(error as Error).message}\n`);
      }
    },
    close(): void {
      closeSync(descriptor);
      if (fallback !== null) closeSync(fallback);
    },
  };
}

function opened(path: string): number | null {
  try {
    return openSync(path, "a");
  } catch {
    return null;
  }
}
