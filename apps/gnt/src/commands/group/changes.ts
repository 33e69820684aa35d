/** gnt-group add, modify, remove, rename, assign-nodes and evacuate. */
import type { JsonObject } from "@ganeti-ts/protocol";
import type { OpcodeJson } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import type { Invocation, OptionValues } from "../../invocation.js";
import { runOpcode, runs } from "../../jobs/follow.js";
import { given } from "../../opcode.js";
import { policyOf } from "../../parameters/policy.js";
import { byId, statesOf } from "../../parameters/states.js";
import { endOfChildren, endOfEvacuation } from "../children.js";
import { printModified, reportUuid } from "../reports.js";

export async function add(invocation: Invocation): Promise<ExitCode> {
  const [name] = invocation.args as [string];
  const result = await runOpcode(invocation, addOpcode(name, invocation.options));
  await reportUuid(invocation, "group", name);
  return endOfChildren(invocation, result);
}

export async function modify(invocation: Invocation): Promise<ExitCode> {
  const [group] = invocation.args as [string];
  const result = await runOpcode(invocation, modifyOpcode(group, invocation.options));
  printModified(invocation.out, `node group ${group}`, result);
  return 0;
}

export const remove = runs(({ args }) => ({
  OP_ID: "OP_GROUP_REMOVE",
  group_name: args[0] as string,
}));

export const rename = runs(({ args }) => {
  const [group_name, new_name] = args as [string, string];
  return { OP_ID: "OP_GROUP_RENAME", group_name, new_name };
});

export const assignNodes = runs(({ args, options }) => {
  const [group_name, ...nodes] = args as [string, ...string[]];
  return { OP_ID: "OP_GROUP_ASSIGN_NODES", group_name, nodes, force: options.flag("force") };
});

export async function evacuate(invocation: Invocation): Promise<ExitCode> {
  const opcode = evacuateOpcode(invocation.args[0] as string, invocation.options);
  const result = await runOpcode(invocation, opcode);
  return endOfEvacuation(invocation, result, {
    done: "All instances evacuated successfully.",
    failed: (count) => `There were ${count} errors during the evacuation.`,
  });
}

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
