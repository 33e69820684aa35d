// Conformance suite for job stores, through the queue.
import { describe } from "vitest";
import { describeFilters } from "./filters.js";
import { describeLife } from "./life.js";
import { describeLocks } from "./locks.js";
import { describeManagement } from "./management.js";
import { describeRecovery } from "./recovery.js";
import { describeSharing } from "./sharing.js";
import type { Implementation } from "./world.js";

/** The conformance suite of `JobStore`. */
export function describeJobStore(name: string, implementation: Implementation): void {
  describe(name, () => {
    describeLife(implementation);
    describeManagement(implementation);
    describeFilters(implementation);
    describeLocks(implementation);
    describeRecovery(implementation);
    if (implementation.shared) describeSharing(implementation);
  });
}
