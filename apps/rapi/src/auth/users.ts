/** Users of the remote API: parser of the users file, and password verification. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Realm of the challenge, and part of every hashed password. */
export const realm = "Ganeti Remote API";

export interface User {
  readonly name: string;
  /** `read`, `write`, `full`; other options are kept without effect. */
  readonly options: ReadonlySet<string>;
}

interface Entry extends User {
  readonly password: string;
}

/** Verifies names and passwords. */
export interface Users {
  /** Undefined if the name is unknown or the password is wrong; takes the same time for both. */
  verify(name: string, password: string): User | undefined;
  /** The user of a name, and the text of the line, which differs after each change of it. */
  entry(name: string): { readonly user: User; readonly line: string } | undefined;
}

/**
 * Lines of `name password [option,…]`; `#` begins a comment line. A line of one word is skipped and
 * its number is passed to `warn`. If a name is given twice, the last line counts.
 */
export function parseUsers(text: string, warn: (lineNumber: number) => void): Users {
  const entries = new Map<string, Entry>();
  for (const [at, line] of text.split("\n").entries()) {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#")) continue;
    const [name, password, options = ""] = trimmed.split(/\s+/, 3);
    if (name === undefined || password === undefined) {
      warn(at + 1);
      continue;
    }
    const words = options.split(",").filter((option) => option !== "");
    entries.set(name, { name, password, options: new Set(words) });
  }
  /**
   * Cache of credentials already verified, keyed by name and password, so that frequent clients do
   * not pay for hashing on every request. At most one entry per user. Wrong credentials are never
   * cached, and keys are found by their hash, so lookup times reveal nothing about a correct
   * password.
   */
  const right = new Map<string, Entry>();
  return {
    entry(name) {
      const found = entries.get(name);
      if (found === undefined) return undefined;
      return { user: found, line: JSON.stringify([found.password, ...found.options]) };
    },
    verify(name, password) {
      const key = `${name.length} ${name} ${password}`;
      const known = right.get(key);
      if (known !== undefined) return known;
      const entry = entries.get(name);
      const isHis = isRight(entry?.password ?? unknownPassword, name, password);
      if (!isHis || entry === undefined) return undefined;
      right.set(key, entry);
      return entry;
    },
  };
}

/** Stored password for unknown names, which take as much work as known ones. */
const unknownPassword = `{HA1}${"0".repeat(32)}`;

/** | stored | meaning |
 * |---|---|
 * | `{HA1}` and 32 hexadecimal digits | MD5 of `name:realm:password` |
 * | `{CLEARTEXT}text`, or text that does not begin with `{` | the password itself |
 * | any other `{scheme}` | matches nothing |
 */
function isRight(stored: string, name: string, password: string): boolean {
  const hash = createHash("md5").update(`${name}:${realm}:${password}`).digest("hex");
  const [, scheme, rest = ""] = /^\{(\w*)\}(.*)$/s.exec(stored) ?? [];
  if (scheme === undefined) return sameText(stored, password) && !stored.startsWith("{");
  switch (scheme.toUpperCase()) {
    case "CLEARTEXT":
      return sameText(rest, password);
    case "HA1":
      return sameText(rest.toLowerCase(), hash);
    default:
      sameText(rest, hash);
      return false;
  }
}

const comparisonKey = randomBytes(32);
const digest = (text: string) => createHmac("sha256", comparisonKey).update(text).digest();

/** Constant-time comparison. */
const sameText = (one: string, other: string): boolean =>
  timingSafeEqual(digest(one), digest(other));
