/** The log file of the daemon; lines that cannot be written to it go to the system console. */
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";

export interface LogFile {
  write(line: string): void;
  /** Starts a new file after the old one has been renamed. */
  reopen(): void;
  close(): void;
}

/** `consolePath` is opened at once, because the disks may have failed later. It may be missing. */
export function openLogFile(path: string, consolePath = "/dev/console"): LogFile {
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
    write(line) {
      try {
        writeSync(descriptor, line);
      } catch {
        show(`Cannot log message:\n${line}`);
      }
    },
    reopen() {
      try {
        const fresh = open();
        closeSync(descriptor);
        descriptor = fresh;
      } catch (error) {
        show(`Cannot reopen ${path}: ${(error as Error).message}\n`);
      }
    },
    close() {
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
