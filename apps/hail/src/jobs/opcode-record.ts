/** Opcodes that were not submitted, formatted as Haskell records as in Ganeti's programs. */
import { formatShow } from "@ganeti-ts/htools";
import { type Json, quoted } from "@ganeti-ts/protocol";
import type { Opcode } from "./job-runner.js";

type Shown = (value: Json) => string;

const text: Shown = (value) => quoted(String(value));
const bool: Shown = (value) => (value === true ? "True" : "False");
const integer: Shown = (value) => (Number(value) < 0 ? `(${value})` : String(value));
const double: Shown = (value) => formatShow(Number(value));
const nonEmpty: Shown = (value) => `NonEmpty {fromNonEmpty = ${text(value)}}`;
const nonNegative: Shown = (value) => `NonNegative {fromNonNegative = ${integer(value)}}`;
const list =
  (item: Shown): Shown =>
  (value) =>
    `[${(value as readonly Json[]).map(item).join(",")}]`;
const maybe =
  (inner: Shown): Shown =>
  (value) => {
    if (value === null) return "Nothing";
    const shown = inner(value);
    return /[ {]/.test(shown) && !/^["[(]/.test(shown) ? `Just (${shown})` : `Just ${shown}`;
  };
const named =
  (names: Readonly<Record<string, string>>): Shown =>
  (value) =>
    names[String(value)] ?? String(value);

/** Fields of a record, in order: its name, the parameter's key, and its format. */
type Field = readonly [field: string, key: string, shown: Shown];

const never = (field: string): Field => [field, "", maybe(text)];

const records: Readonly<Record<string, { readonly name: string; readonly fields: Field[] }>> = {
  OP_INSTANCE_MIGRATE: {
    name: "OpInstanceMigrate",
    fields: [
      ["opInstanceName", "instance_name", text],
      never("opInstanceUuid"),
      never("opMigrationMode"),
      never("opOldLiveMode"),
      ["opTargetNode", "target_node", maybe(nonEmpty)],
      never("opTargetNodeUuid"),
      ["opAllowRuntimeChanges", "allow_runtime_changes", bool],
      ["opIgnoreIpolicy", "ignore_ipolicy", bool],
      ["opMigrationCleanup", "cleanup", bool],
      never("opIallocator"),
      ["opAllowFailover", "allow_failover", bool],
      ["opIgnoreHvversions", "ignore_hvversions", bool],
    ],
  },
  OP_INSTANCE_FAILOVER: {
    name: "OpInstanceFailover",
    fields: [
      ["opInstanceName", "instance_name", text],
      never("opInstanceUuid"),
      ["opShutdownTimeout", "shutdown_timeout", nonNegative],
      ["opIgnoreConsistency", "ignore_consistency", bool],
      ["opTargetNode", "target_node", maybe(nonEmpty)],
      never("opTargetNodeUuid"),
      ["opIgnoreIpolicy", "ignore_ipolicy", bool],
      ["opMigrationCleanup", "cleanup", bool],
      never("opIallocator"),
    ],
  },
  OP_INSTANCE_REPLACE_DISKS: {
    name: "OpInstanceReplaceDisks",
    fields: [
      ["opInstanceName", "instance_name", text],
      never("opInstanceUuid"),
      ["opEarlyRelease", "early_release", bool],
      ["opIgnoreIpolicy", "ignore_ipolicy", bool],
      ["opReplaceDisksMode", "mode", named({ replace_new_secondary: "ReplaceNewSecondary" })],
      ["opReplaceDisksList", "disks", list(integer)],
      ["opRemoteNode", "remote_node", maybe(nonEmpty)],
      never("opRemoteNodeUuid"),
      never("opIallocator"),
    ],
  },
  OP_TAGS_SET: {
    name: "OpTagsSet",
    fields: [
      ["opKind", "kind", named({ node: "TagKindNode", instance: "TagKindInstance" })],
      ["opTagsList", "tags", list(text)],
      ["opTagsGetName", "name", maybe(text)],
    ],
  },
  OP_NODE_SET_PARAMS: {
    name: "OpNodeSetParams",
    fields: [
      ["opNodeName", "node_name", nonEmpty],
      never("opNodeUuid"),
      ["opForce", "force", bool],
      never("opHvState"),
      never("opDiskState"),
      ["opMasterCandidate", "master_candidate", maybe(bool)],
      ["opOffline", "offline", maybe(bool)],
      ["opDrained", "drained", maybe(bool)],
      ["opAutoPromote", "auto_promote", bool],
      ["opMasterCapable", "master_capable", maybe(bool)],
      ["opVmCapable", "vm_capable", maybe(bool)],
      never("opSecondaryIp"),
      never("opgenericNdParams"),
      ["opPowered", "powered", maybe(bool)],
    ],
  },
  OP_OOB_COMMAND: {
    name: "OpOobCommand",
    fields: [
      ["opNodeNames", "node_names", list(nonEmpty)],
      never("opNodeUuids"),
      ["opOobCommand", "command", named({ "power-on": "OobPowerOn", "power-off": "OobPowerOff" })],
      ["opOobTimeout", "timeout", integer],
      ["opIgnoreStatus", "ignore_status", bool],
      ["opPowerDelay", "power_delay", double],
    ],
  },
};

/**
 * The record without the common parameters. Opcodes that balancing and squeezing do not use are shown by name
 * only.
 */
export function opcodeRecord(opcode: Opcode): string {
  const record = records[opcode.OP_ID];
  if (record === undefined) return opcode.OP_ID;
  const fields = record.fields.map(
    ([field, key, shown]) => `${field} = ${shown(opcode[key] ?? null)}`,
  );
  return `${record.name} {${fields.join(", ")}}`;
}
