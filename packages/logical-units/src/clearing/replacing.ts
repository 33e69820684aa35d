/** Ports for clearing claims, the results, and claims on devices that could not be removed from nodes yet. */
import type { ConfigChange, Configuration, Snapshot } from "@ganeti-ts/config";
import type { NodeBackend } from "@ganeti-ts/node-calls";
import type { CancelSignal, Claim, DiskObject, NodeUuid } from "@ganeti-ts/protocol";
import { dropping, putting } from "../capacity/claim.js";
import { claimsOfLeft } from "../instance/disks/creation.js";
import { contextAt } from "../unit/unit.js";

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

/** Changes that replace the claim by claims on the remaining devices. */
export function replacing(
  { config }: RecoveryPorts,
  latest: Snapshot,
  claim: Claim,
  remaining: readonly Remaining[],
): readonly ConfigChange[] {
  const left = claimsOfLeft(contextAt({ config, jobId: claim.job }, latest), remaining);
  return [...dropping(latest, [claim]), ...left.map(putting)];
}
