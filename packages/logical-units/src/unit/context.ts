/** A world at one snapshot: the first argument of checks and effects. */
import type { Snapshot } from "@ganeti-ts/config";
import type { World } from "./unit.js";

/** A world at one snapshot: the ports of a run, and the configuration it works with. */
export interface UnitContext extends World {
  /** The configuration to check or act upon; `config.snapshot` may be newer. */
  readonly now: Snapshot;
}

/** The world, or the given part of it, at that snapshot. After a change a new one is needed. */
export const contextAt = <Part extends object>(
  world: Part,
  now: Snapshot,
): Part & Pick<UnitContext, "now"> => ({ ...world, now });
