/** Primary instances of a node. */
import { prereqError } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { byName, sortedNames } from "../named.js";

/** With the full name of the node. @throws GanetiError if there is no such node */
export async function primariesOf(
  invocation: Invocation,
  node: string,
): Promise<{ readonly name: string; readonly instances: readonly string[] }> {
  const [values] = await byName(invocation, "node", ["name", "pinst_list"], [node]);
  if (values === undefined) throw prereqError(`Node '${node}' not known`, "unknown_entity");
  return { name: String(values.name), instances: sortedNames(values.pinst_list as string[]) };
}
