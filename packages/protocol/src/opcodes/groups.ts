/** Node groups. */
import { AllocationPolicyChoice } from "./choices.js";
import { opcode } from "./define.js";
import { DiskParameters } from "./disk.js";
import { dict, flag, listOf, nonEmpty } from "./values.js";

/** A group with its policy and parameters. */
const settings = {
  group_name: nonEmpty,
  alloc_policy: AllocationPolicyChoice.optional(),
  ndparams: dict.optional(),
  diskparams: DiskParameters.optional(),
  hv_state: dict.optional(),
  disk_state: dict.optional(),
  ipolicy: dict.optional(),
};

export const groupOpcodes = {
  OP_GROUP_ADD: opcode("OP_GROUP_ADD", "group_name", settings),
  OP_GROUP_ASSIGN_NODES: opcode("OP_GROUP_ASSIGN_NODES", "group_name", {
    group_name: nonEmpty,
    force: flag.default(false),
    nodes: listOf(nonEmpty),
    node_uuids: listOf(nonEmpty).optional(),
  }),
  OP_GROUP_SET_PARAMS: opcode("OP_GROUP_SET_PARAMS", "group_name", settings),
  OP_GROUP_REMOVE: opcode("OP_GROUP_REMOVE", "group_name", {
    group_name: nonEmpty,
  }),
  OP_GROUP_RENAME: opcode("OP_GROUP_RENAME", null, {
    group_name: nonEmpty,
    new_name: nonEmpty,
  }),
  OP_GROUP_EVACUATE: opcode("OP_GROUP_EVACUATE", "group_name", {
    group_name: nonEmpty,
    early_release: flag.default(false),
    iallocator: nonEmpty.optional(),
    target_groups: listOf(nonEmpty).optional(),
    sequential: flag.default(false),
    force_failover: flag.default(false),
  }),
};
