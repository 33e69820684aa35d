/** Records of programs that must end with the daemon, so that the next daemon can end them after a SIGKILL. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Records a program that has just started as leader of its process group; returns a function that removes the record. */
export function noteProgram(folder: string, pid: number): () => void {
  const file = join(folder, String(pid));
  const start = startOf(pid);
  // The process has ended already.
  if (start === null) return () => {};
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(file, `${bootId()} ${start}`, { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

/** Kills the process groups that a dead daemon has left behind; returns the ids of those that still existed. */
export function endLeftPrograms(folder: string): readonly number[] {
  const ended: number[] = [];
  for (const name of numbersIn(folder)) {
    const pid = Number(name);
    const file = join(folder, name);
    const [boot, began] = readFileSync(file, "utf8").split(" ");
    const start = startOf(pid);
    // The kernel does not reuse the id of a group while one of its processes is alive.
    const isOurs = boot === bootId() && (start === null || start === began);
    if (isOurs && killGroup(pid)) ended.push(pid);
    rmSync(file);
  }
  return ended;
}

const numbersIn = (folder: string): readonly string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => /^\d+$/.test(name)) : [];

function killGroup(pid: number): boolean {
  try {
    process.kill(-pid, "SIGKILL");
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    return false;
  }
}

/** Id of the machine's current boot: records of earlier boots are invalid. */
const bootId = (): string => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();

/** Time at which the process began, in clock ticks since the boot; null if there is none. */
function startOf(pid: number): string | null {
  try {
    // The name of the program, in parentheses, may contain blanks.
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[19] ?? null;
  } catch {
    return null;
  }
}
