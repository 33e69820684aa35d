/** Held entries: forthcoming instances of running creations, which are not listed. */
import type { InstanceObject } from "@ganeti-ts/protocol";

/** Whether it is a held entry of a running creation. */
export const isHeld = (instance: InstanceObject): boolean =>
  instance.forthcoming === true && instance.held_by !== undefined;

/** All instances without held entries. */
export function* listedInstances(now: {
  instances(): Iterable<InstanceObject>;
}): Iterable<InstanceObject> {
  for (const instance of now.instances()) if (!isHeld(instance)) yield instance;
}
