// What every store must do, seen through the queue.
import { describe } from "vitest";
import { describeLife } from "./life.js";
import { describeManagement } from "./management.js";
import { describeRecovery } from "./recovery.js";
import { describeSharing } from "./sharing.js";
import type { Implementation } from "./world.js";

/** The conformance suite of `JobStore`. */
export function describeJobStore(name: string, implementation: Implementation): void {
  describe(name, () => {
    describeLife(implementation);
    describeManagement(implementation);
    describeRecovery(implementation);
    if (implementation.shared) describeSharing(implementation);
  });
}
