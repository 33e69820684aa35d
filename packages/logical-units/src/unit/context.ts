/** A world at one snapshot: the first argument of checks and effects. */
import type { Snapshot } from "@ganeti-ts/config";
import type { World } from "./unit.js";

/** A world at one snapshot: what a run may use, and the configuration that it goes by. */
export interface UnitContext extends World {
  /** The configuration that is checked or acted upon; `config.snapshot` may be newer. */
  readonly now: Snapshot;
}

/** The world, or the given part of it, at that snapshot. After a change a new one is needed. */
export const contextAt = <Part extends object>(
  world: Part,
  now: Snapshot,
): Part & Pick<UnitContext, "now"> => ({ ...world, now });
