/** The line between the checks of a unit and what it does. */

import type { Found } from "../hooks/hooks.js";
import { isDryRun, type MaybeDryRun } from "./feedback.js";
import type { World } from "./unit.js";

/**
 * Runs the scripts that may forbid what the checks allow; true if only the checks were asked for.
 * @throws OperationError `HooksAbort`
 */
export async function areChecksAll(
  world: Pick<World, "hooks" | "log">,
  op: MaybeDryRun,
  found: Found = {},
): Promise<boolean> {
  await world.hooks.before(found);
  return isDryRun(world, op);
}
