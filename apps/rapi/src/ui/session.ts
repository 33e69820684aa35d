/** Sessions of the page: a signed cookie that any server with the same key accepts. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { User, Users } from "../auth/users.js";
import { HttpFault } from "../http/fault.js";

export const cookieName = "__Host-ganeti";

/** Header that every request of the page carries; `active` also says that its user is there. */
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
   * @throws HttpFault 401 if it is forged or has expired, or the user's line has changed since
   */
  user(token: string): User;
  /** Replacement of a valid cookie that is due for renewal. */
  renewed(token: string): string | undefined;
}

interface Token {
  readonly name: string;
  readonly seenMs: number;
  readonly tag: string;
}

/**
 * A token is name and time of the last activity, with an HMAC over both and the user's line: it holds no secret, and a
 * changed line ends all sessions of its user.
 */
export function createSessions(key: Uint8Array, users: Users, now: () => number): Sessions {
  const tagOf = (name: string, seenMs: number, line: string) =>
    createHmac("sha256", key)
      .update(JSON.stringify([name, seenMs, line]))
      .digest("base64url");
  const valid = (token: string): { readonly user: User; readonly seenMs: number } | undefined => {
    const read = tokenOf(token);
    const entry = read && users.entry(read.name);
    if (read === undefined || entry === undefined) return undefined;
    if (!sameTag(read.tag, tagOf(read.name, read.seenMs, entry.line))) return undefined;
    // A time ahead comes from another server whose clock is ahead; the tag vouches for it.
    return now() - read.seenMs < idleMs ? { user: entry.user, seenMs: read.seenMs } : undefined;
  };
  const begin = (user: User): string => {
    const seenMs = now();
    const name = Buffer.from(user.name).toString("base64url");
    const tag = tagOf(user.name, seenMs, users.entry(user.name)?.line ?? "");
    return `${cookieName}=${name}.${seenMs}.${tag}; ${attributes}`;
  };
  return {
    begin,
    user(token) {
      const found = valid(token);
      if (found === undefined) throw new HttpFault(401, "The session has ended");
      return found.user;
    },
    renewed(token) {
      const found = valid(token);
      return found && now() - found.seenMs >= renewAfterMs ? begin(found.user) : undefined;
    },
  };
}

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
  const [, name, seen, tag] = /^([\w-]+)\.(\d{1,15})\.([\w-]+)$/.exec(text) ?? [];
  if (name === undefined || seen === undefined || tag === undefined) return undefined;
  return { name: Buffer.from(name, "base64url").toString("utf8"), seenMs: Number(seen), tag };
}

function sameTag(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * Refuses a request with a cookie that another site may have caused.
 * Browsers send no Origin with a GET of the page itself, but say where it comes from.
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
