/** Opcodes that change nothing but the configuration. */
import type { Decide } from "@ganeti-ts/config";
import { isDryRun, type MaybeDryRun } from "./feedback.js";
import type { World } from "./unit.js";

/** Does what `decide` says, or with `dry_run` only looks whether it could be done. */
export async function changeConfig<T>(
  world: World,
  op: MaybeDryRun,
  decide: Decide<T>,
): Promise<T> {
  if (!isDryRun(world, op)) return (await world.config.change(decide, world)).value;
  return decide(world.config.snapshot).value;
}
