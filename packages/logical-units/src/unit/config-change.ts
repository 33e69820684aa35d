/** Opcodes that change nothing but the configuration. */
import type { Decide } from "@ganeti-ts/config";
import type { Found } from "../hooks/hooks.js";
import { areChecksAll } from "./checks-done.js";
import type { MaybeDryRun } from "./feedback.js";
import type { World } from "./unit.js";

/** Does what `decide` says, or with `dry_run` only looks whether it could be done. */
export async function changeConfig<T>(
  world: World,
  op: MaybeDryRun,
  decide: Decide<T>,
  foundOf: (value: T) => Found = () => ({}),
): Promise<T> {
  const { value } = decide(world.config.snapshot);
  return (await areChecksAll(world, op, foundOf(value)))
    ? value
    : (await world.config.change(decide, world)).value;
}
