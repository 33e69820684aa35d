/** Log of the daemon, with lines in the format of Ganeti's daemons. */
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
