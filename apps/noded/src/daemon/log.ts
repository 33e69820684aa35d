/** Log of the daemon: one line per message on standard error. */
import type { DaemonLog } from "../context.js";

/** `write` gets whole lines; messages of level debug only if `isDebug`. */
export function daemonLog(write: (line: string) => void, isDebug: boolean): DaemonLog {
  const at =
    (level: string) =>
    (message: string): void =>
      write(`${new Date().toISOString()} ${level} ${message.replaceAll("\n", "\n  ")}\n`);
  return {
    debug: isDebug ? at("DEBUG") : () => {},
    info: at("INFO"),
    warn: at("WARNING"),
    error: at("ERROR"),
  };
}
