/** Which files of a directory were changed lately: how processes that share it learn of each other's changes. */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface ChangeLog {
  /** Own changes. */
  add(names: readonly string[]): void;
  /** What others have changed since the last look; `all` if that is longer ago than the log. */
  news(): readonly string[] | "all";
}

/** How many changes are remembered. */
const length = 256;

interface Kept {
  /** Of the last change. */
  readonly number: number;
  readonly recent: readonly string[];
}

/** Both calls only while the directory is held. */
export function openChangeLog(directory: string): ChangeLog {
  const path = join(directory, "changes");
  let seen = 0;
  const read = (): Kept =>
    existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Kept) : { number: 0, recent: [] };
  return {
    add(names) {
      const { number, recent } = read();
      seen = number + names.length;
      const kept: Kept = { number: seen, recent: [...recent, ...names].slice(-length) };
      writeFileSync(`${path}.new`, JSON.stringify(kept), { mode: 0o600 });
      renameSync(`${path}.new`, path);
    },
    news() {
      const { number, recent } = read();
      const missed = number - seen;
      seen = number;
      if (missed > recent.length) return "all";
      return missed === 0 ? [] : [...new Set(recent.slice(-missed))];
    },
  };
}
