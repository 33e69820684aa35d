/** Opcodes that change only the configuration. */
import type { Decide } from "@ganeti-ts/config";
import type { Found } from "../hooks/hooks.js";
import { areChecksAll } from "./checks-done.js";
import type { MaybeDryRun } from "./feedback.js";
import type { World } from "./unit.js";

/** Applies the changes of `decide`; with `dry_run`, only checks that they can be applied. */
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
