/** Opcodes by which an allocator moves instances. */
import * as z from "zod";
import { InstanceName, NodeName } from "../ids.js";

const common = {
  instance_name: InstanceName,
  ignore_ipolicy: z.boolean().optional(),
  /** Jobs to wait for, by relative id (-1 is the previous job), with the states they must reach. */
  depends: z.array(z.tuple([z.int(), z.array(z.string())])).optional(),
};

/** Rebuilds the mirror of a drbd instance on another secondary. */
export const ReplaceDisksOpcode = z.looseObject({
  OP_ID: z.literal("OP_INSTANCE_REPLACE_DISKS"),
  ...common,
  early_release: z.boolean().optional(),
  mode: z.enum([
    "replace_new_secondary",
    "replace_auto",
    "replace_on_primary",
    "replace_on_secondary",
  ]),
  /** Positions of the disks; empty means all. */
  disks: z.array(z.int()).optional(),
  remote_node: NodeName.nullish(),
});
export type ReplaceDisksOpcode = z.infer<typeof ReplaceDisksOpcode>;

/** Moves a running instance: to its secondary, or to `target_node` with external storage. */
export const MigrateOpcode = z.looseObject({
  OP_ID: z.literal("OP_INSTANCE_MIGRATE"),
  ...common,
  target_node: NodeName.nullish(),
  allow_runtime_changes: z.boolean().optional(),
  cleanup: z.boolean().optional(),
  /** Allows a failover if the instance is not running. */
  allow_failover: z.boolean().optional(),
  ignore_hvversions: z.boolean().optional(),
});
export type MigrateOpcode = z.infer<typeof MigrateOpcode>;

/** Moves an instance by stopping it first. */
export const FailoverOpcode = z.looseObject({
  OP_ID: z.literal("OP_INSTANCE_FAILOVER"),
  ...common,
  /** Seconds. */
  shutdown_timeout: z.int().nonnegative().optional(),
  ignore_consistency: z.boolean().optional(),
  target_node: NodeName.nullish(),
  cleanup: z.boolean().optional(),
});
export type FailoverOpcode = z.infer<typeof FailoverOpcode>;

/**
 * One step of a job in the answer to node-evacuate or change-group. Ganeti accepts these three opcodes; their
 * further parameters are not checked.
 */
export const EvacuationOpcode = z.discriminatedUnion("OP_ID", [
  ReplaceDisksOpcode,
  MigrateOpcode,
  FailoverOpcode,
]);
export type EvacuationOpcode = z.infer<typeof EvacuationOpcode>;
