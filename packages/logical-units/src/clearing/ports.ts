/** Ports for clearing claims, and the results. */
import type { Configuration } from "@ganeti-ts/config";
import type { NodeBackend } from "@ganeti-ts/node-calls";
import type { CancelSignal, DiskObject, NodeUuid } from "@ganeti-ts/protocol";

/** Ports for the recovery of jobs that died: configuration, nodes and the lease to act under. */
export interface RecoveryPorts {
  readonly config: Configuration;
  readonly nodes: NodeBackend;
  /** Lease of the calling worker. */
  readonly lease: string;
  readonly signal: CancelSignal;
}

/** A device that has to stay on a node for now: the node is offline, or the device is still needed there. */
export interface Remaining {
  readonly node: NodeUuid;
  readonly disk: DiskObject;
}

export type Outcome = "gone" | "remains" | "failed";
