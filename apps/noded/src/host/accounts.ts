/** Users and groups of the machine by name. */
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import { succeeded } from "../machine/runner.js";

/** Users that own files of a cluster; each has a group of its own name. */
const users = [
  "root",
  "gnt-masterd",
  "gnt-wconfd",
  "gnt-confd",
  "gnt-luxid",
  "gnt-rapi",
  "gnt-metad",
];
const groups = [...users, "gnt-daemons", "gnt-admin"];

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Ids of any user and group of this machine. Rejects with `NodeFailure` if one of them does not exist. */
export async function accountOf(
  { run }: Pick<NodeContext, "run">,
  user: string,
  group: string,
): Promise<Owner> {
  const number = async (database: "passwd" | "group", name: string): Promise<number> => {
    const ended = await run.run({ program: "getent", args: [database, "--", name] });
    if (succeeded(ended)) return Number(ended.stdout.split(":")[2]);
    const kind = database === "passwd" ? "User" : "Group";
    throw new NodeFailure(`${kind} '${name}' is not known to this node`);
  };
  return { uid: await number("passwd", user), gid: await number("group", group) };
}

/**
 * Ids of a user and a group. Only names of Ganeti's users are accepted. On a machine without these users root takes their
 * place, because all daemons run as root there.
 */
export async function ownerOf(
  { run }: Pick<NodeContext, "run">,
  user: string,
  group: string,
): Promise<Owner> {
  if (!users.includes(user)) throw new Error(`User '${user}' is not known to this node`);
  if (!groups.includes(group)) throw new Error(`Group '${group}' is not known to this node`);
  const number = async (database: "passwd" | "group", name: string): Promise<number> => {
    if (name === "root") return 0;
    const ended = await run.run({ program: "getent", args: [database, name] });
    return succeeded(ended) ? Number(ended.stdout.split(":")[2]) : 0;
  };
  return { uid: await number("passwd", user), gid: await number("group", group) };
}
