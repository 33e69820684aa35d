/**
 * gnt-cluster user: manages users of the remote API and their rights. The server reloads its file
 * at once.
 */
import { readFileSync } from "node:fs";
import type { ExitCode } from "../../command.js";
import { ConnectionFailure, Ending, GanetiError, prereqError } from "../../errors.js";
import type { Invocation, Output } from "../../invocation.js";
import { awaitJob } from "../../jobs/await-job.js";
import { silent } from "../../jobs/feedback.js";
import { acceptedId } from "../../jobs/follow.js";
import { plainTable } from "../../plain-table.js";
import { newPassword, putUser, type Rights, removeUser, usersOf } from "./users-file.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options, out, env, dataDirectory } = invocation;
  if (options.has("url") || env.GANETI_RAPI_URL) {
    throw new Ending("Users are in a file of the server: change them where it runs.");
  }
  const [action = "", name] = args;
  const users = usersOf(dataDirectory);
  const known = users.find((user) => user.name === name);
  if (action === "list") {
    if (name !== undefined) throw prereqError("'user list' takes no name");
    const rows = users.map((user) => [
      user.name,
      user.rights,
      user.isHashed ? "hashed" : "cleartext",
    ]);
    const columns = ["Name", "Rights", "Password"];
    for (const line of plainTable(columns, rows, { headers: true })) out.line(line);
    out.document(
      users.map((user) => ({ name: user.name, rights: user.rights, hashed: user.isHashed })),
    );
    return 0;
  }
  if (name === undefined) throw prereqError(`Missing name of the user to ${action}`);
  if (action === "add" && known !== undefined) {
    throw prereqError(
      `There is a user '${name}' already: see gnt-cluster user passwd`,
      "already_exists",
    );
  }
  if (action !== "add" && known === undefined) {
    throw prereqError(`There is no user '${name}': see gnt-cluster user list`, "unknown_entity");
  }
  switch (action) {
    case "add": {
      const rights = (options.text("rights") ?? "read") as Rights;
      const file = options.text("new-password-file");
      setUser(out, dataDirectory, { name, file, rights });
      return givenToNodes(invocation);
    }
    case "passwd": {
      const rights = options.text("rights") as Rights | undefined;
      const file = options.text("new-password-file");
      if (rights !== undefined && file === undefined) putUser(dataDirectory, name, { rights });
      else setUser(out, dataDirectory, { name, file, rights });
      return givenToNodes(invocation);
    }
    case "remove":
      removeUser(dataDirectory, name);
      return givenToNodes(invocation);
    default:
      throw prereqError(`Command '${action}' is not valid.`);
  }
}

/** The nodes get the file, so that another master knows the same users; verification compares it. */
async function givenToNodes({ cluster, out }: Invocation): Promise<ExitCode> {
  try {
    const [answer] = await cluster.submit([[{ OP_ID: "OP_CLUSTER_REDIST_CONF" }]]);
    await awaitJob(cluster, acceptedId(answer), silent);
    return 0;
  } catch (error) {
    if (error instanceof ConnectionFailure) return 0; // The server is not there yet, or no longer.
    if (!(error instanceof GanetiError)) throw error;
    out.error(
      `The change counts on this machine, but could not be given to the nodes: ${error.message}\nRepeat that with "gnt-cluster redist-conf".`,
    );
    return 1;
  }
}

interface NewUser {
  readonly name: string;
  /** File with the password; `-` is standard input. */
  readonly file: string | undefined;
  readonly rights: Rights | undefined;
}

/** A generated password is shown once, because it is stored as a hash. @throws GanetiError */
export function setUser(out: Output, dataDirectory: string, { name, file, rights }: NewUser): void {
  const given = file === undefined ? undefined : passwordIn(file);
  const password = given ?? newPassword();
  putUser(dataDirectory, name, { password, ...(rights && { rights }) });
  if (given === undefined) out.line(`Password of ${name}: ${password}`);
  out.document({ name, ...(given === undefined ? { password } : {}) });
}

/** The first line. @throws GanetiError if it is empty or begins or ends with a blank */
function passwordIn(file: string): string {
  const [password = ""] = readFileSync(file === "-" ? 0 : file, "utf8").split("\n");
  if (password === "" || password.trim() !== password) {
    throw prereqError(
      "A password is the first line of its file: not empty, without blanks around it",
    );
  }
  return password;
}
