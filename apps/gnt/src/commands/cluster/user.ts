/**
 * gnt-cluster user: manages users of the remote API and their rights. The server reloads its file
 * at once.
 */
import { readFileSync } from "node:fs";
import type { ExitCode } from "../../command.js";
import { Ending, prereqError } from "../../errors.js";
import type { Invocation, Output } from "../../invocation.js";
import { plainTable } from "../../plain-table.js";
import { newPassword, putUser, type Rights, removeUser, usersOf } from "./users-file.js";

export async function run({
  args,
  options,
  out,
  env,
  dataDirectory,
}: Invocation): Promise<ExitCode> {
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
    const columns = [{ title: "Name" }, { title: "Rights" }, { title: "Password" }];
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
      return 0;
    }
    case "passwd": {
      const rights = options.text("rights") as Rights | undefined;
      const file = options.text("new-password-file");
      if (rights !== undefined && file === undefined) putUser(dataDirectory, name, { rights });
      else setUser(out, dataDirectory, { name, file, rights });
      return 0;
    }
    case "remove":
      removeUser(dataDirectory, name);
      return 0;
    default:
      throw prereqError(`Command '${action}' is not valid.`);
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
