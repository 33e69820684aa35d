/** History of a simulation: each cluster with the operation that led to it, and the two that are compared. */
import type { Operation } from "./operations.js";
import type { Stage } from "./worker.js";

/** One step of a simulation. */
export interface Entry {
  readonly label: string;
  readonly stage: Stage;
}

/** All steps, and the positions of the two shown side by side. */
export interface History {
  readonly entries: readonly Entry[];
  readonly left: number;
  readonly right: number;
}

export const begun = (label: string, stage: Stage): History => ({
  entries: [{ label, stage }],
  left: 0,
  right: 0,
});

/** Adds a step, and compares it with the one before. */
export const advanced = ({ entries }: History, label: string, stage: Stage): History => ({
  entries: [...entries, { label, stage }],
  left: entries.length - 1,
  right: entries.length,
});

/** Drops all steps after `position`. */
export const returned = ({ entries, left }: History, position: number): History => ({
  entries: entries.slice(0, position + 1),
  left: Math.min(left, position),
  right: position,
});

/** An operation in a few words. */
export function labelOf(operation: Operation): string {
  switch (operation.kind) {
    case "add-nodes":
      return `${operation.count} more like ${operation.like}`;
    case "set-offline":
      return operation.offline ? `${operation.node} fails` : `${operation.node} returns`;
    case "add-instances":
      return `${operation.count} × ${operation.prefix}`;
    case "balance":
      return operation.evacuationMode
        ? `Leave offline nodes of ${operation.group}`
        : `Balance ${operation.group}`;
    case "evacuate":
      return `Evacuate ${operation.node}`;
    case "capacity":
      return `Capacity, ${operation.diskTemplate}`;
    case "reboots":
      return operation.fullEvacuation ? "Rolling reboots, all moved" : "Rolling reboots";
    case "limits":
      return `Limits of ${operation.group}`;
  }
}
