/** Opcodes for cluster verification, and for repairs of its findings. */
import { VerifyCheck, VerifyError } from "./choices.js";
import { opcode } from "./define.js";
import { flag, listOf, nonEmpty } from "./values.js";

export const verificationOpcodes = {
  OP_CLUSTER_VERIFY: opcode("OP_CLUSTER_VERIFY", null, {
    debug_simulate_errors: flag.default(false),
    error_codes: flag.default(false),
    skip_checks: listOf(VerifyCheck).default([]),
    ignore_errors: listOf(VerifyError).default([]),
    verbose: flag.default(false),
    group_name: nonEmpty.optional(),
    verify_clutter: flag.default(false),
  }),
  OP_CLUSTER_VERIFY_CONFIG: opcode("OP_CLUSTER_VERIFY_CONFIG", null, {
    debug_simulate_errors: flag.default(false),
    error_codes: flag.default(false),
    ignore_errors: listOf(VerifyError).default([]),
    verbose: flag.default(false),
  }),
  OP_CLUSTER_VERIFY_GROUP: opcode("OP_CLUSTER_VERIFY_GROUP", "group_name", {
    group_name: nonEmpty,
    debug_simulate_errors: flag.default(false),
    error_codes: flag.default(false),
    skip_checks: listOf(VerifyCheck).default([]),
    ignore_errors: listOf(VerifyError).default([]),
    verbose: flag.default(false),
    verify_clutter: flag.default(false),
  }),
  OP_CLUSTER_VERIFY_DISKS: opcode("OP_CLUSTER_VERIFY_DISKS", null, {
    group_name: nonEmpty.optional(),
    is_strict: flag.default(true),
  }),
  OP_GROUP_VERIFY_DISKS: opcode("OP_GROUP_VERIFY_DISKS", "group_name", {
    group_name: nonEmpty,
    is_strict: flag.default(true),
  }),
  OP_CLUSTER_REPAIR_DISK_SIZES: opcode("OP_CLUSTER_REPAIR_DISK_SIZES", null, {
    instances: listOf(nonEmpty).default([]),
  }),
};
