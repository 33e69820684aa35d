/** The catalog of node calls, with the schemas of everything that they carry. */
import type { CatalogEntry } from "./call.js";
import type { NodeCallName } from "./call-types.js";
import { diskCalls } from "./disks/calls.js";
import { exportCalls } from "./exports/calls.js";
import { figureCalls } from "./figures/calls.js";
import { instanceCalls } from "./instances/calls.js";
import { osCalls } from "./os/calls.js";
import { queueCalls } from "./queue/calls.js";
import { setupCalls } from "./setup/calls.js";
import { storageCalls } from "./storage/calls.js";

/** Every call by name: schemas of its arguments and value, timeout class, and effect of repetition. */
export const nodeCalls = {
  ...figureCalls,
  ...instanceCalls,
  ...diskCalls,
  ...osCalls,
  ...storageCalls,
  ...exportCalls,
  ...setupCalls,
  ...queueCalls,
} as const;

/** The entry of a call whose name is not known beforehand, without its own types. */
export const catalogEntry = (name: NodeCallName): CatalogEntry => nodeCalls[name];

export { type CatalogEntry, type TimeoutClass, timeoutSeconds } from "./call.js";

export { DiskOnNode, LogicalId, MirrorEnds } from "./objects/disk.js";
export { HypervisorOnNode } from "./objects/hypervisor.js";
export { InstanceOnNode, NicOnNode, StoredObject } from "./objects/instance.js";
export { Upload } from "./objects/upload.js";
