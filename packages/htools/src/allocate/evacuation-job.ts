/** Opcodes that carry out a move, with keys in the order in which Ganeti writes them. */

export type Opcode = Readonly<Record<string, unknown>> & { readonly OP_ID: string };

export const replaceSecondaryOpcode = (instance: string, target: string): Opcode => ({
  OP_ID: "OP_INSTANCE_REPLACE_DISKS",
  instance_name: instance,
  early_release: false,
  ignore_ipolicy: false,
  mode: "replace_new_secondary",
  disks: [],
  remote_node: target,
});

/** Failover, or a move to `target`. Reservations cannot be migrated: they fail over. */
export function moveOpcode(instance: string, forthcoming: boolean, target?: string): Opcode {
  const targeted = target === undefined ? {} : { target_node: target };
  if (forthcoming) {
    return {
      OP_ID: "OP_INSTANCE_FAILOVER",
      instance_name: instance,
      shutdown_timeout: 120,
      ignore_consistency: false,
      ...targeted,
      ignore_ipolicy: false,
      cleanup: false,
    };
  }
  return {
    OP_ID: "OP_INSTANCE_MIGRATE",
    instance_name: instance,
    ...targeted,
    allow_runtime_changes: false,
    ignore_ipolicy: false,
    cleanup: false,
    allow_failover: true,
    ignore_hvversions: true,
  };
}
