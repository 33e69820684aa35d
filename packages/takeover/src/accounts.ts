/** Users and groups of this machine. */
import { readFile } from "node:fs/promises";

type Table = "/etc/passwd" | "/etc/group";

async function accounts(table: Table): Promise<readonly (readonly [name: string, id: number])[]> {
  const text = await readFile(table, "utf8");
  const entries = text.split("\n").map((line) => line.split(":"));
  return entries.flatMap(([name, , id]) => (name && id ? [[name, Number(id)] as const] : []));
}

/** Names of users or groups by their number. */
export const namesById = async (table: Table): Promise<ReadonlyMap<number, string>> =>
  new Map((await accounts(table)).map(([name, id]) => [id, name]));

/** Numbers of users or groups by their name. */
export const idsByName = async (table: Table): Promise<ReadonlyMap<string, number>> =>
  new Map(await accounts(table));
