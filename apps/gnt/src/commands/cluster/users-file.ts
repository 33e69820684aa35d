/**
 * File of users of the remote API: lines of `name password options`; other lines are kept
 * unchanged.
 */
import { createHash, randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { prereqError } from "../../errors.js";

export const rights = ["read", "write", "full"] as const;
export type Rights = (typeof rights)[number];

export interface ApiUser {
  readonly name: string;
  /** `none`: a user with the rights of an anonymous client. */
  readonly rights: Rights | "none";
  readonly isHashed: boolean;
}

/** Part of every hashed password: the realm of the server's challenge. */
const realm = "Ganeti Remote API";

/** `full` includes `write`, which Ganeti's own resources require. */
const optionsOf: Readonly<Record<Rights, string>> = {
  read: "read",
  write: "write",
  full: "write,full",
};

/** The file that the server reads: that of Ganeti's data folder where the cluster keeps its files as Ganeti does. */
function fileIn(dataDirectory: string): string {
  const record = join(dataDirectory, "adopted.json");
  if (existsSync(record)) {
    const { state, site } = adoptedIn(record);
    if (state !== "handed back") return join(site.data, "rapi", "users");
  }
  return join(dataDirectory, "rapi", "users");
}

/** The server's record of a cluster with Ganeti's files. @throws GanetiError for a file of another form */
function adoptedIn(record: string): z.infer<typeof Adopted> {
  const read = Adopted.safeParse(parsed(readFileSync(record, "utf8")));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw prereqError(`${record} is damaged: ${issue?.path.join("/")}: ${issue?.message}`);
}

const Adopted = z.object({
  version: z.literal(1),
  state: z.enum(["adopted", "made here", "handed back"]),
  site: z.object({ data: z.string() }),
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const linesOf = (dataDirectory: string): readonly string[] => {
  const file = fileIn(dataDirectory);
  return existsSync(file) ? readFileSync(file, "utf8").replace(/\n$/, "").split("\n") : [];
};

/** The words of a user's line; null for other lines. */
function wordsOf(line: string): readonly [name: string, password: string, options: string] | null {
  const trimmed = line.trim();
  const [name, password, options = ""] = trimmed.split(/\s+/, 3);
  if (trimmed.startsWith("#") || name === undefined || password === undefined) return null;
  return [name, password, options];
}

/** In the order of the file; if a name is given twice, the last line counts. */
export function usersOf(dataDirectory: string): readonly ApiUser[] {
  const users = new Map<string, ApiUser>();
  for (const line of linesOf(dataDirectory)) {
    const words = wordsOf(line);
    if (words === null) continue;
    const [name, password, options] = words;
    const given = options.split(",");
    users.set(name, {
      name,
      rights: rights.findLast((one) => given.includes(one)) ?? "none",
      isHashed: /^\{ha1\}/i.test(password),
    });
  }
  return [...users.values()];
}

/** A generated password of 20 characters: 120 random bits. */
export const newPassword = (): string => randomBytes(15).toString("base64url");

/**
 * Adds the user, or replaces its line: a password alone keeps the rights, rights alone the password. Passwords are
 * stored hashed, in Ganeti's format. @throws GanetiError for a name that the file cannot hold
 */
export function putUser(
  dataDirectory: string,
  name: string,
  { password, rights: given }: { readonly password?: string; readonly rights?: Rights },
): void {
  if (!/^[^\s#:][^\s:]*$/.test(name)) {
    throw prereqError(
      `'${name}' cannot be the name of a user: no blanks, no colon, no # at its beginning`,
    );
  }
  const lines = linesOf(dataDirectory);
  const known = lines.map(wordsOf).findLast((words) => words?.[0] === name);
  const stored = password === undefined ? known?.[1] : hashed(name, password);
  if (stored === undefined) throw prereqError(`User '${name}' has no password`);
  const options = given === undefined ? known?.[2] : optionsOf[given];
  const line = [name, stored, options].filter(Boolean).join(" ");
  write(dataDirectory, [...withoutUser(lines, name), line]);
}

export const removeUser = (dataDirectory: string, name: string): void =>
  write(dataDirectory, withoutUser(linesOf(dataDirectory), name));

const withoutUser = (lines: readonly string[], name: string): readonly string[] =>
  lines.filter((line) => wordsOf(line)?.[0] !== name);

const hashed = (name: string, password: string): string =>
  `{HA1}${createHash("md5").update(`${name}:${realm}:${password}`).digest("hex")}`;

/** Written atomically, and readable for its owner alone. */
function write(dataDirectory: string, lines: readonly string[]): void {
  const named = fileIn(dataDirectory);
  mkdirSync(dirname(named), { recursive: true, mode: 0o750 });
  const file = existsSync(named) ? realpathSync(named) : named;
  const fresh = `${file}.new`;
  writeFileSync(fresh, lines.map((line) => `${line}\n`).join(""), { mode: 0o600 });
  renameSync(fresh, file);
}
