/** Calls of the node port on simulated hosts: the operations of all areas in one table. */
import type { NodeCallName } from "@ganeti-ts/node-calls";
import { diskOperations } from "./disk-operations.js";
import { exportOperations } from "./export-operations.js";
import { figureOperations } from "./figure-operations.js";
import { instanceOperations } from "./instance-operations.js";
import { osOperations } from "./os-operations.js";
import { queueOperations } from "./queue-operations.js";
import { setupOperations } from "./setup-operations.js";
import type { CallsOnHost } from "./site.js";
import { storageOperations } from "./storage-operations.js";

/** Each call of the node port, as it acts on the state of a host. */
export const operations: CallsOnHost<NodeCallName> = {
  ...figureOperations,
  ...instanceOperations,
  ...diskOperations,
  ...osOperations,
  ...storageOperations,
  ...exportOperations,
  ...setupOperations,
  ...queueOperations,
};

/** Calls that change nothing by themselves; whatever they touch is marked as changed. */
export const looking: ReadonlySet<NodeCallName> = new Set<NodeCallName>([
  ...(Object.keys(figureOperations) as NodeCallName[]),
  ...(Object.keys(osOperations) as NodeCallName[]),
  ...(["instance_list", "all_instances_info", "instance_info", "instance_console_info"] as const),
  ...(["instance_metadata_modify", "hypervisor_validate_params"] as const),
  ...(["blockdev_find", "blockdev_getmirrorstatus", "blockdev_getmirrorstatus_multi"] as const),
  ...(["blockdev_getdimensions", "drbd_wait_sync", "drbd_needs_activation"] as const),
  ...(["storage_list", "export_list", "export_info", "impexp_status"] as const),
  ...([
    "hooks_runner",
    "get_watcher_pause",
    "restricted_command",
    "iallocator_runner",
    "node_crypto_tokens",
    "test_delay",
    "run_oob",
  ] as const),
]);
