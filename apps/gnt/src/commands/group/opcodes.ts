/** Opcodes of gnt-group's commands, from their options. */
import type { JsonObject } from "@ganeti-ts/protocol";
import type { OpcodeJson } from "../../cluster.js";
import type { OptionValues } from "../../invocation.js";
import { given } from "../../opcode.js";
import { policyOf } from "../../parameters/policy.js";
import { byId, statesOf } from "../../parameters/states.js";

const values = (options: OptionValues): JsonObject => ({
  ...given({
    alloc_policy: options.text("alloc-policy"),
    ndparams: options.keyValues("node-parameters"),
    diskparams: byId(options.idKeyValues("disk-parameters")),
    ipolicy: policyOf(options, "group"),
  }),
  ...statesOf(options),
});

export const addOpcode = (group_name: string, options: OptionValues): OpcodeJson => ({
  OP_ID: "OP_GROUP_ADD",
  group_name,
  ...values(options),
});

/** An empty change of hypervisor states counts as a change, as in Ganeti's own program. */
export const modifyOpcode = (group_name: string, options: OptionValues): OpcodeJson => ({
  OP_ID: "OP_GROUP_SET_PARAMS",
  group_name,
  hv_state: {},
  ...values(options),
});

export const evacuateOpcode = (group_name: string, options: OptionValues): OpcodeJson => {
  const groups = options.texts("to");
  return {
    OP_ID: "OP_GROUP_EVACUATE",
    group_name,
    ...given({
      iallocator: options.text("iallocator"),
      target_groups: groups.length === 0 ? undefined : [...groups],
    }),
    early_release: options.flag("early-release"),
    sequential: options.flag("sequential"),
    force_failover: options.flag("force-failover"),
  };
};
