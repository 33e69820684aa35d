/** Who sends a request, and whether that is enough for what he wants. */
import { HttpFault } from "../http/fault.js";
import { realm, type User, type Users } from "./users.js";

/**
 * Who may use a method: anybody, each user, or those with one of the options. `write` may do what `read` may. `full` is what
 * no resource of Ganeti's gives, such as any opcode; Ganeti knows no such option.
 */
export type Access = "anybody" | "user" | "read" | "write" | "full";

const optionsOf: Readonly<Record<Access, readonly string[]>> = {
  anybody: [],
  user: [],
  read: ["read", "write"],
  write: ["write"],
  full: ["full"],
};

/** Whoever reaches the local socket: it is open to its owner alone. */
export const localUser: User = { name: "local", options: new Set(["read", "write", "full"]) };

/**
 * The user of an `Authorization` header; undefined if there is none. Credentials that are sent must
 * be right, whether or not they are needed.
 * @throws HttpFault 401 on wrong ones, 400 on a header without any
 */
export function authenticate(header: string | undefined, users: Users): User | undefined {
  if (header === undefined) return undefined;
  const [, scheme = "", credentials = ""] = /^\s*(\S+)\s*(.*?)\s*$/s.exec(header) ?? [];
  if (scheme.toLowerCase() !== "basic") throw unauthorized();
  if (credentials === "") throw new HttpFault(400, "Basic authentication requires credentials");
  const text = Buffer.from(credentials, "base64").toString("utf8");
  const colon = text.indexOf(":");
  if (colon < 0) throw unauthorized();
  const user = users.verify(text.slice(0, colon), text.slice(colon + 1));
  if (user === undefined) throw unauthorized();
  return user;
}

/** @throws HttpFault 401 if nobody has said who he is, 403 if he may not */
export function authorize(user: User | undefined, access: Access, always: boolean): void {
  const options = optionsOf[access];
  if (user === undefined) {
    if (always || access !== "anybody") throw unauthorized();
    return;
  }
  if (options.length > 0 && !options.some((option) => user.options.has(option))) {
    throw new HttpFault(403);
  }
}

const unauthorized = () =>
  new HttpFault(401, undefined, { "WWW-Authenticate": `Basic realm="${realm}"` });
