/** Held entries: reserved instances of running creations, which are shown to nobody. */
import type { InstanceObject } from "@ganeti-ts/protocol";

/** Whether it is what a running creation holds so far. */
export const isHeld = (instance: InstanceObject): boolean =>
  instance.forthcoming === true && instance.held_by !== undefined;

/** All instances but those that running creations hold. */
export function* listedInstances(now: {
  instances(): Iterable<InstanceObject>;
}): Iterable<InstanceObject> {
  for (const instance of now.instances()) if (!isHeld(instance)) yield instance;
}
