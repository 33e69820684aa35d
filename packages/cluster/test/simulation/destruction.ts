// Names of instances that jobs may have left without data, or running on another node than the configuration says.
import type { Job, Json, JsonObject } from "@ganeti-ts/protocol";

/** Whether the opcode, carried out in part, can leave the instance without some of its data. */
function isDestructive({ OP_ID, disks, remove_instance }: JsonObject): boolean {
  if (OP_ID === "OP_BACKUP_EXPORT") return remove_instance === true;
  if (OP_ID !== "OP_INSTANCE_SET_PARAMS") return always.has(String(OP_ID));
  return hasChange(disks, ["remove"]);
}

/** Whether one of the changes is one of these actions. */
const hasChange = (changes: Json | undefined, actions: readonly string[]): boolean =>
  Array.isArray(changes) &&
  changes.some((change) => Array.isArray(change) && actions.includes(String(change[0])));

const always: ReadonlySet<string> = new Set([
  ...["OP_INSTANCE_CREATE", "OP_INSTANCE_REMOVE", "OP_INSTANCE_RECREATE_DISKS"],
]);

const isRefused = (result: Json): boolean => Array.isArray(result) && result[0] === "OpPrereqError";

/** Whether the instance that remains can have another first disk, or an empty one. */
const isEmptying = ({ OP_ID, disks }: JsonObject): boolean =>
  OP_ID === "OP_INSTANCE_RECREATE_DISKS" ||
  (OP_ID === "OP_INSTANCE_SET_PARAMS" && hasChange(disks, ["remove", "detach", "attach"]));

/**
 * Names of instances whose volumes may be incomplete: `damaged` ones, those of partially executed destructive opcodes, and all
 * names connected with them by renames. With `orEmpty`, also instances whose disks may have been replaced by empty ones, and those
 * imported from their exports.
 */
export function namesWithoutData(
  jobs: Iterable<Job>,
  damaged: Iterable<string>,
  { orEmpty = false }: { readonly orEmpty?: boolean } = {},
): ReadonlySet<string> {
  const names = new Set(damaged);
  const renamings: (readonly [string, string])[] = [];
  const imports: (readonly [string, string])[] = [];
  for (const { input, status, result } of [...jobs].flatMap(({ opcodes }) => opcodes)) {
    const opcode = input as JsonObject;
    const name = String(opcode.instance_name);
    // A success removes the instance along with its data, and a refusal does nothing.
    const isPartial = status !== "success" && !isRefused(result);
    if (isPartial && isDestructive(opcode)) names.add(name);
    if (orEmpty && isEmptying(opcode) && !isRefused(result)) names.add(name);
    if (opcode.OP_ID === "OP_INSTANCE_RENAME") renamings.push([name, String(opcode.new_name)]);
    if (opcode.mode === "import") imports.push([String(opcode.src_path), name]);
  }
  for (let before = -1; before < names.size; ) {
    before = names.size;
    for (const pair of renamings) {
      if (pair.some((name) => names.has(name))) for (const name of pair) names.add(name);
    }
    // An export of an empty disk is empty.
    if (orEmpty) for (const [from, to] of imports) if (names.has(from)) names.add(to);
  }
  return names;
}

/** Names of instances with a failed migration: until the cleanup they may run at the source, at the target or at both. */
export function namesCutInMigration(jobs: Iterable<Job>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { input, status } of [...jobs].flatMap(({ opcodes }) => opcodes)) {
    const { OP_ID, instance_name } = input as JsonObject;
    if (OP_ID === "OP_INSTANCE_MIGRATE" && status === "error") names.add(String(instance_name));
  }
  return names;
}
