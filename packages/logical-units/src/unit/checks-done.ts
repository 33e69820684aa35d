/** End of a unit's checks: dry runs stop here, and hooks may forbid the operation. */

import type { Found } from "../hooks/hooks.js";
import { isDryRun, type MaybeDryRun } from "./feedback.js";
import type { World } from "./unit.js";

/**
 * Runs the hooks that may forbid the operation; true if only the checks were requested. @throws
 * OperationError `HooksAbort`
 */
export async function areChecksAll(
  world: Pick<World, "hooks" | "log">,
  op: MaybeDryRun,
  found: Found = {},
): Promise<boolean> {
  await world.hooks.before(found);
  return isDryRun(world, op);
}
