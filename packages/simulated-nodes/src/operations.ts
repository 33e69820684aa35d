/** Calls of the node port on simulated hosts: the operations of all areas in one table. */
import { dataDirectory, type NodeCallName, type QueueCalls } from "@ganeti-ts/node-calls";
import { diskOperations } from "./disk-operations.js";
import { exportOperations } from "./export-operations.js";
import { figureOperations } from "./figure-operations.js";
import { instanceOperations } from "./instance-operations.js";
import type { HostState } from "./node-state.js";
import { osOperations } from "./os-operations.js";
import { setupOperations } from "./setup-operations.js";
import { type CallsOnHost, NodeFault } from "./site.js";
import { storageOperations } from "./storage-operations.js";

const queueDirectory = `${dataDirectory}/queue`;
const drainFile = `${queueDirectory}/drain`;

function checkPath(path: string): void {
  if (path.startsWith(`${queueDirectory}/`)) return;
  throw new NodeFault(
    `Passed job queue file '${path}' does not belong to the queue directory '${queueDirectory}'`,
  );
}

const queueOperations: CallsOnHost<keyof QueueCalls> = {
  jobqueue_update({ host }, { path, content }) {
    checkPath(path);
    host.files[path] = content;
  },
  jobqueue_rename({ host }, { renames }) {
    for (const { from, to } of renames) {
      checkPath(from);
      checkPath(to);
    }
    return renames.map(({ from, to }) => renamed(host, from, to));
  },
  jobqueue_purge({ host }) {
    for (const path of Object.keys(host.files)) {
      if (/\/queue\/(archive\/\d+\/)?job-\d+$/.test(path)) delete host.files[path];
    }
  },
  jobqueue_set_drain_flag({ host }, { drained }) {
    if (drained) host.files[drainFile] = "";
    else delete host.files[drainFile];
  },
};

/** A file that was renamed before is left as it is. */
function renamed(host: HostState, from: string, to: string): null {
  const content = host.files[from];
  if (content === undefined && host.files[to] === undefined) {
    throw new NodeFault(`Cannot rename '${from}' to '${to}': No such file or directory`);
  }
  if (content !== undefined) {
    delete host.files[from];
    host.files[to] = content;
  }
  return null;
}

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
