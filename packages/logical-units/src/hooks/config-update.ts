import type { AnyOpcode } from "@ganeti-ts/protocol";

/**
 * Whether scripts `config-update` of the master run after an operation that changed the configuration: where
 * Ganeti's job process writes the configuration itself. Changes that its configuration daemon makes (states, tags,
 * parameters) do not count, so that most operations make no call for this.
 */
export function tellsConfigUpdate(op: AnyOpcode): boolean {
  switch (op.OP_ID) {
    case "OP_NODE_ADD":
    case "OP_NODE_REMOVE":
    case "OP_GROUP_ADD":
    case "OP_GROUP_REMOVE":
    case "OP_GROUP_ASSIGN_NODES":
    case "OP_NETWORK_ADD":
    case "OP_NETWORK_REMOVE":
    case "OP_INSTANCE_RENAME":
    case "OP_INSTANCE_MOVE":
    case "OP_CLUSTER_RENEW_CRYPTO":
      return true;
    case "OP_NODE_SET_PARAMS":
      return [op.master_candidate, op.offline, op.drained, op.master_capable].some(
        (flag) => flag !== undefined,
      );
    case "OP_CLUSTER_SET_PARAMS":
      return op.candidate_pool_size !== undefined || op.vg_name !== undefined;
    case "OP_INSTANCE_REPLACE_DISKS":
      return op.remote_node !== undefined || op.iallocator !== undefined;
    case "OP_INSTANCE_SET_PARAMS":
      return op.disks.some(([action]) => action === "detach" || action === "attach");
    default:
      return false;
  }
}
