/**
 * Idle claims: their effect has not begun and no node counts any of it, so nothing is counted
 * twice.
 */
import type { ForthcomingInstance, InstanceObject } from "@ganeti-ts/protocol";

const idle = "idle";

/** The entry of a claim as an idle one. */
export const asIdle = (held: ForthcomingInstance): ForthcomingInstance => ({
  ...held,
  osparams: Object.assign({}, held.osparams, { [idle]: "yes" }),
});

/** Marks that the effect begins: from now on nodes may count it as well. */
export function asBegun(held: InstanceObject): InstanceObject {
  const { [idle]: _, ...rest } = held.osparams ?? {};
  return { ...held, osparams: rest };
}

/** Whether the claim's operation may have begun, so that nodes may already count its resources. */
export const mayBeCountedTwice = (instance: InstanceObject): boolean =>
  instance.forthcoming === true &&
  instance.held_by !== undefined &&
  instance.osparams?.[idle] === undefined;
