import { readFile } from "node:fs/promises";

/** Names of users or groups by their number, from `/etc/passwd` or `/etc/group`. */
export async function namesById(
  table: "/etc/passwd" | "/etc/group",
): Promise<ReadonlyMap<number, string>> {
  const text = await readFile(table, "utf8");
  const entries = text.split("\n").map((line) => line.split(":"));
  return new Map(entries.flatMap(([name, , id]) => (name && id ? [[Number(id), name]] : [])));
}
