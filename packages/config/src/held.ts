/** What running creations hold: reserved entries that nobody is shown. */
import type { InstanceObject } from "@ganeti-ts/protocol";
import type { Snapshot } from "./snapshot.js";

/** Instances that people are shown: all but what running creations hold. */
export function* listedInstances(now: Snapshot): Iterable<InstanceObject> {
  for (const instance of now.instances()) if (!isHeld(instance)) yield instance;
}

/** Whether it is what a running creation holds so far. */
export const isHeld = (instance: InstanceObject): boolean =>
  instance.forthcoming === true && instance.held_by !== undefined;
