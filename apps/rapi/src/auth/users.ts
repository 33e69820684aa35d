/** Who may use the remote API: the lines of a users file, and whether a password is right. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** What the challenge says, and part of every hashed password. */
export const realm = "Ganeti Remote API";

export interface User {
  readonly name: string;
  /** `read`, `write`; others are kept and mean nothing. */
  readonly options: ReadonlySet<string>;
}

interface Entry extends User {
  readonly password: string;
}

/** Who has a name and a password. */
export interface Users {
  /** Undefined if the name is not known or the password is not right; takes the same time. */
  verify(name: string, password: string): User | undefined;
}

/**
 * Lines of `name password [option,…]`; `#` begins a comment line. A line of one word is told to `warn`
 * by its number, and is not there. Of a name that is given twice the last line counts.
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
   * Who was right once, by name and password: he is known again without hashing, which a client who asks often
   * would pay for every time. One at most for each entry. Whoever is wrong is not in it, whatever he has sent,
   * and keys are found by their hash: nothing of a right password shows in the time that takes.
   */
  const right = new Map<string, Entry>();
  return {
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

/** Of a name that nobody has: as much work as with one that somebody has. */
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

/** Takes as long whatever the texts have in common. */
const sameText = (one: string, other: string): boolean =>
  timingSafeEqual(digest(one), digest(other));
