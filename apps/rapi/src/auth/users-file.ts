/** The users file, read again when it changes. */
import { readFileSync, statSync } from "node:fs";
import { parseUsers, type Users } from "./users.js";

/** Minimum time (ms) between two checks for changes, which requests trigger. */
const lookEveryMs = 1000;

export interface UsersFile extends Users {
  /** Reads the file now. */
  reload(): void;
}

/** A missing file has no users; after a failed reading the previous users stay. */
export function usersFile(path: string, warn: (problem: string) => void): UsersFile {
  let users = parseUsers("", () => {});
  let seen: string | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;

  const reload = () => {
    lookedAt = performance.now();
    const stamp = stampOf(path);
    seen = stamp;
    if (stamp === undefined) {
      users = parseUsers("", () => {});
      return;
    }
    try {
      const text = readFileSync(path, "utf8");
      users = parseUsers(text, (line) => warn(`line ${line} of ${path} is not a user`));
    } catch (error) {
      warn(`${path} cannot be read: ${(error as Error).message}`);
    }
  };
  reload();
  const current = (): Users => {
    if (performance.now() - lookedAt >= lookEveryMs) {
      lookedAt = performance.now();
      if (stampOf(path) !== seen) reload();
    }
    return users;
  };
  return {
    reload,
    verify: (name, password) => current().verify(name, password),
    entry: (name) => current().entry(name),
  };
}

/** Differs after every change; undefined if the file does not exist. */
function stampOf(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
}
