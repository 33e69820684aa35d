/** Short form of an opcode in lists: `INSTANCE_CREATE(web1)`. */
import { isJsonObject, type Json } from "./json-value.js";

/** The parameter in parentheses. Source: Ganeti, OpCodes.hs, `opSummaryVal`. */
const shownParameter: Readonly<Record<string, readonly string[]>> = {
  group_name: [
    ...["CLUSTER_VERIFY_GROUP", "GROUP_VERIFY_DISKS", "GROUP_ADD", "GROUP_ASSIGN_NODES"],
    ...["GROUP_SET_PARAMS", "GROUP_REMOVE", "GROUP_EVACUATE"],
  ],
  name: ["CLUSTER_RENAME"],
  what: ["QUERY", "QUERY_FIELDS"],
  node_name: [
    ...["NODE_REMOVE", "NODE_ADD", "NODE_MODIFY_STORAGE", "REPAIR_NODE_STORAGE"],
    ...["NODE_SET_PARAMS", "NODE_POWERCYCLE", "NODE_MIGRATE", "NODE_EVACUATE", "NODE_RENAME"],
  ],
  // INSTANCE_RENAME is missing, as in Ganeti: its two names are ambiguous.
  instance_name: [
    ...["INSTANCE_CREATE", "INSTANCE_REINSTALL", "INSTANCE_REMOVE", "INSTANCE_STARTUP"],
    ...["INSTANCE_SHUTDOWN", "INSTANCE_REBOOT", "INSTANCE_REPLACE_DISKS", "INSTANCE_FAILOVER"],
    ...["INSTANCE_MIGRATE", "INSTANCE_MOVE", "INSTANCE_CONSOLE", "INSTANCE_ACTIVATE_DISKS"],
    ...["INSTANCE_DEACTIVATE_DISKS", "INSTANCE_RECREATE_DISKS", "INSTANCE_SET_PARAMS"],
    ...["INSTANCE_GROW_DISK", "INSTANCE_CHANGE_GROUP", "INSTANCE_REPAIR"],
    ...["BACKUP_PREPARE", "BACKUP_EXPORT", "BACKUP_REMOVE"],
  ],
  kind: ["TAGS_GET"],
  pattern: ["TAGS_SEARCH"],
  duration: ["TEST_DELAY"],
  iallocator: ["TEST_ALLOCATOR"],
  network_name: [
    ...["NETWORK_ADD", "NETWORK_REMOVE", "NETWORK_SET_PARAMS"],
    ...["NETWORK_CONNECT", "NETWORK_DISCONNECT"],
  ],
};

const parameterOf = new Map(
  Object.entries(shownParameter).flatMap(([parameter, names]) =>
    names.map((name): [string, string] => [name, parameter]),
  ),
);

/** The parameter in parentheses for an opcode, by its `OP_ID`. */
export const summaryParameter = (id: string): string | undefined =>
  parameterOf.get(id.replace(/^OP_/, ""));

/** For an invalid input: its `OP_ID` without `OP_`, or `INVALID_OP`. */
export function opcodeSummary(input: Json): string {
  if (!isJsonObject(input) || typeof input.OP_ID !== "string") return "INVALID_OP";
  const name = input.OP_ID.replace(/^OP_/, "");
  const parameter = parameterOf.get(name);
  const value = parameter === undefined ? undefined : input[parameter];
  if (name === "TAGS_GET" && typeof value === "string") return `${name}(${tagKindText(value)})`;
  if (name === "TEST_ALLOCATOR") return `${name}(${value ?? "None"})`;
  if (typeof value === "number") return `${name}(${floatText(value)})`;
  return typeof value === "string" ? `${name}(${value})` : name;
}

// The name of the constructor in Haskell: TagKindInstance. A group is `nodegroup` on the wire.
function tagKindText(kind: string): string {
  const noun = kind === "nodegroup" ? "group" : kind;
  return `TagKind${noun.charAt(0).toUpperCase()}${noun.slice(1)}`;
}

// A duration is a float in Haskell's notation: 5 is 5.0, 0.01 is 1.0e-2.
function floatText(value: number): string {
  const size = Math.abs(value);
  if (size === 0 || (size >= 0.1 && size < 1e7)) return withPoint(String(value));
  const [mantissa = "", exponent] = value.toExponential().replace("+", "").split("e");
  return `${withPoint(mantissa)}e${exponent}`;
}

const withPoint = (text: string): string => (text.includes(".") ? text : `${text}.0`);
