// Processor time of a PostgreSQL server with its backends, living and ended.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Length of a tick in /proc (ms): USER_HZ is 100 on Linux. */
const tickMs = 10;

/** Id of the process that starts all others of the server whose socket is in `folder`. */
export const databasePid = (folder: string): number =>
  Number.parseInt(readFileSync(join(folder, "data", "postmaster.pid"), "utf8"), 10);

/** Processor time (ms) of the server whose socket is in `folder`. */
export function databaseCpuMs(folder: string): number {
  const pid = String(databasePid(folder));
  let ticks = 0;
  for (const entry of readdirSync("/proc")) {
    const fields = /^\d+$/.test(entry) ? statOf(entry) : undefined;
    if (fields === undefined) continue;
    const [parent, user, system, endedUser, endedSystem] = fields;
    if (entry === pid) ticks += user + system + endedUser + endedSystem;
    else if (parent === Number(pid)) ticks += user + system;
  }
  return ticks * tickMs;
}

/** Parent, own times and times of ended children; undefined if the process has ended. */
function statOf(pid: string): readonly [number, number, number, number, number] | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
  // The name of the program, in parentheses, may contain spaces.
  const fields = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const at = (index: number) => fields[index] as number;
  return [at(1), at(11), at(12), at(13), at(14)];
}
