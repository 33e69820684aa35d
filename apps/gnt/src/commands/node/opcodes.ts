/** Opcodes of gnt-node's commands, from their options. */
import type { JsonObject } from "@ganeti-ts/protocol";
import type { OpcodeJson } from "../../cluster.js";
import { Ending, prereqError } from "../../errors.js";
import type { OptionValues } from "../../invocation.js";
import { fromOptions, given } from "../../opcode.js";
import { statesOf } from "../../parameters/states.js";

export const addOpcode = (
  node_name: string,
  options: OptionValues,
  secondaryIp: string | undefined,
): OpcodeJson => ({
  OP_ID: "OP_NODE_ADD",
  node_name,
  readd: options.flag("readd"),
  node_setup: !options.flag("no-node-setup"),
  ...given({
    ...fromOptions(options, "primary-ip", "vm-capable", "master-capable"),
    secondary_ip: secondaryIp,
    group: options.text("node-group"),
    ndparams: options.keyValues("node-parameters"),
  }),
  ...statesOf(options),
});

/** @throws Ending if there is nothing to change */
export function modifyOpcode(node_name: string, options: OptionValues): OpcodeJson {
  const changes: JsonObject = {
    ...given({
      ...fromOptions(options, "master-candidate", "offline", "drained", "master-capable"),
      ...fromOptions(options, "vm-capable", "secondary-ip"),
      ndparams: options.keyValues("node-parameters"),
    }),
    ...statesOf(options),
  };
  const powered = options.yesNo("node-powered");
  if (Object.keys(changes).length === 0 && powered === undefined) {
    throw new Ending("Please give at least one of the parameters.");
  }
  return {
    OP_ID: "OP_NODE_SET_PARAMS",
    node_name,
    ...changes,
    ...given({ powered }),
    force: options.flag("force"),
    auto_promote: options.flag("auto-promote"),
  };
}

export type EvacuationMode = "primary-only" | "secondary-only" | "all";

/** A new secondary node implies the mirrors alone. @throws GanetiError */
export function evacuationMode(options: OptionValues): EvacuationMode {
  if (options.has("new-secondary")) return "secondary-only";
  const [primary, secondary] = [options.flag("primary-only"), options.flag("secondary-only")];
  if (primary && secondary) {
    throw prereqError("Only one of the --primary-only and --secondary-only options can be passed");
  }
  return primary ? "primary-only" : secondary ? "secondary-only" : "all";
}

export const evacuateOpcode = (node_name: string, options: OptionValues): OpcodeJson => ({
  OP_ID: "OP_NODE_EVACUATE",
  node_name,
  mode: evacuationMode(options),
  ...given({
    remote_node: options.text("new-secondary"),
    iallocator: options.text("iallocator"),
  }),
  early_release: options.flag("early-release"),
  ignore_soft_errors: options.flag("ignore-soft-errors"),
});

/** @throws GanetiError for conflicting modes */
export function migrateOpcode(node_name: string, options: OptionValues): OpcodeJson {
  const mode = options.text("migration-mode");
  const nonLive = options.flag("non-live");
  if (nonLive && mode !== undefined) {
    throw prereqError("Only one of the --non-live and --migration-mode options can be passed");
  }
  return {
    OP_ID: "OP_NODE_MIGRATE",
    node_name,
    ...given({
      mode: nonLive ? "non-live" : mode,
      ...fromOptions(options, "iallocator", "target-node"),
    }),
    allow_runtime_changes: !options.flag("no-runtime-changes"),
    ignore_ipolicy: options.flag("ignore-ipolicy"),
  };
}
