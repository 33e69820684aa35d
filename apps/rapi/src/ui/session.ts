/** Sessions of the page: a signed cookie that any server with the same key accepts. */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { AccessStore } from "@ganeti-ts/job-queue";
import type { User, Users } from "../auth/users.js";
import { HttpFault } from "../http/fault.js";

export const cookieName = "__Host-ganeti";

/** Header of every request of the page; the value `active` means that the user is present. */
export const pageHeader = "x-ganeti-ui";

/** A session ends after this time (ms) without an active request. */
export const idleMs = 30 * 60_000;

/** A cookie is replaced when it is older than this (ms), so that not every answer carries one. */
const renewAfterMs = 60_000;

export interface Sessions {
  /** Value of the `Set-Cookie` header that begins a session. */
  begin(user: User): string;
  /**
   * The user of a cookie.
   * @throws HttpFault 401 if it is forged or has expired, its session was ended on any server of the cluster, or the
   * user's line has changed since
   */
  user(token: string): Promise<User>;
  /** Ends the session of a cookie, with all its earlier cookies; returns the user if the cookie was valid. */
  end(token: string): Promise<User | undefined>;
  /** Whether the session of a cookie was ended. */
  isEnded(token: string): Promise<boolean>;
  /** Replacement of a valid cookie that is due for renewal. */
  renewed(token: string): string | undefined;
}

interface Token {
  readonly name: string;
  /** Id of the session, the same in all of its cookies. */
  readonly session: string;
  readonly seenMs: number;
  readonly tag: string;
}

export interface SessionParts {
  readonly key: Uint8Array;
  readonly users: Users;
  /** Ended sessions, which the servers of a cluster share. */
  readonly access: Pick<AccessStore, "endSession" | "isEnded">;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * A token consists of name, session and time of the last activity, with an HMAC over them and the user's line: it contains
 * no secret, and a changed line ends all sessions of its user.
 */
export function createSessions({ key, users, access, now }: SessionParts): Sessions {
  const tagOf = ({ name, session, seenMs }: Omit<Token, "tag">, line: string) =>
    createHmac("sha256", key)
      .update(JSON.stringify([name, session, seenMs, line]))
      .digest("base64url");
  const valid = (token: string): (Omit<Token, "tag"> & { readonly user: User }) | undefined => {
    const read = tokenOf(token);
    const entry = read && users.entry(read.name);
    if (read === undefined || entry === undefined) return undefined;
    if (!sameTag(read.tag, tagOf(read, entry.line))) return undefined;
    // A time in the future comes from another server whose clock is ahead; the HMAC authenticates it.
    return now() - read.seenMs < idleMs ? { ...read, user: entry.user } : undefined;
  };
  const cookieOf = (user: User, session: string): string => {
    const seenMs = now();
    const name = Buffer.from(user.name).toString("base64url");
    const line = users.entry(user.name)?.line ?? "";
    const tag = tagOf({ name: user.name, session, seenMs }, line);
    return `${cookieName}=${name}.${session}.${seenMs}.${tag}; ${attributes}`;
  };
  const found = async (token: string) => {
    const read = valid(token);
    return read === undefined || (await access.isEnded(read.session)) ? undefined : read;
  };
  return {
    begin: (user) => cookieOf(user, randomBytes(sessionBytes).toString("base64url")),
    async user(token) {
      const read = await found(token);
      if (read === undefined) throw new HttpFault(401, "The session has ended");
      return read.user;
    },
    async end(token) {
      const read = await found(token);
      if (read === undefined) return undefined;
      // Another server, whose clock may be ahead, may have renewed the cookie at this moment.
      const until = Math.max(now(), read.seenMs) + 2 * idleMs;
      await access.endSession(read.session, { now: now(), until });
      return read.user;
    },
    isEnded: (token) => access.isEnded(tokenOf(token)?.session ?? ""),
    renewed(token) {
      const read = valid(token);
      const isDue = read !== undefined && now() - read.seenMs >= renewAfterMs;
      return isDue ? cookieOf(read.user, read.session) : undefined;
    },
  };
}

const sessionBytes = 16;

const attributes = "Path=/; HttpOnly; Secure; SameSite=Strict";

/** Value of the `Set-Cookie` header that ends a session. */
export const endedCookie = `${cookieName}=; Max-Age=0; ${attributes}`;

/** The session cookie in a `Cookie` header. */
export function cookieIn(header: string | undefined): string | undefined {
  for (const part of header?.split(";") ?? []) {
    const [name, value = ""] = part.trim().split("=", 2);
    if (name === cookieName) return value;
  }
  return undefined;
}

function tokenOf(text: string): Token | undefined {
  const [, name = "", session = "", seen, tag = ""] =
    /^([\w-]+)\.([\w-]+)\.(\d{1,15})\.([\w-]+)$/.exec(text) ?? [];
  if (seen === undefined) return undefined;
  const user = Buffer.from(name, "base64url").toString("utf8");
  return { name: user, session, seenMs: Number(seen), tag };
}

function sameTag(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * Refuses a request with a cookie that another site may have caused.
 * Browsers send no Origin with a GET of the page itself, but the Sec-Fetch-Site header.
 * @throws HttpFault 403 without the page's header, or with an Origin other than the server itself
 */
export function requireOwnPage(header: (name: string) => string | undefined): void {
  if (header(pageHeader) === undefined) {
    throw new HttpFault(403, `Changes with a session need the header ${pageHeader}`);
  }
  const isOwnGet = header("origin") === undefined && header("sec-fetch-site") === "same-origin";
  if (!isOwnGet && !isOwnOrigin(header)) {
    throw new HttpFault(403, "Changes with a session must come from this server's own page");
  }
}

/** Whether the Origin of a request is the server itself. */
export function isOwnOrigin(header: (name: string) => string | undefined): boolean {
  const [origin, host] = [header("origin"), header("host")];
  return host !== undefined && (origin === `https://${host}` || origin === `http://${host}`);
}
