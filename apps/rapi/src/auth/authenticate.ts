/** Authentication and authorization of requests. */
import { HttpFault } from "../http/fault.js";
import { realm, type User } from "./users.js";

/**
 * Required rights of a method: none, any user, or one of the options. `write` includes `read`.
 * `full` is required by resources without a counterpart in Ganeti, such as any opcode; Ganeti has
 * no such option.
 */
export type Access = "anybody" | "user" | "read" | "write" | "full";

/** Options that give each access; a user needs one of them. */
export const optionsOf: Readonly<Record<Access, readonly string[]>> = {
  anybody: [],
  user: [],
  read: ["read", "write"],
  write: ["write"],
  full: ["full"],
};

/** The user of the local socket, which is accessible to its owner alone. */
export const localUser: User = { name: "local", options: new Set(["read", "write", "full"]) };

/**
 * The user of an `Authorization` header; undefined if there is none. Credentials that are sent must
 * be right, whether or not they are needed.
 * @throws HttpFault 401 on wrong ones, 400 on a header without any, 429 after too many wrong ones
 */
export async function authenticate(
  header: string | undefined,
  verify: (name: string, password: string) => Promise<User | undefined>,
): Promise<User | undefined> {
  if (header === undefined) return undefined;
  const [, scheme = "", credentials = ""] = /^\s*(\S+)\s*(.*?)\s*$/s.exec(header) ?? [];
  if (scheme.toLowerCase() !== "basic") throw unauthorized();
  if (credentials === "") throw new HttpFault(400, "Basic authentication requires credentials");
  const text = Buffer.from(credentials, "base64").toString("utf8");
  const colon = text.indexOf(":");
  if (colon < 0) throw unauthorized();
  const user = await verify(text.slice(0, colon), text.slice(colon + 1));
  if (user === undefined) throw unauthorized();
  return user;
}

/** @throws HttpFault 401 for an anonymous request that needs a user, 403 for insufficient rights */
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
