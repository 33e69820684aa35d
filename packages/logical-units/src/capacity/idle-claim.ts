/** Claims whose effect has not begun: no node counts anything of them, so that nothing is counted twice. */
import type { ForthcomingInstance, InstanceObject } from "@ganeti-ts/protocol";

const idle = "idle";

/** The entry of a claim as an idle one. */
export const asIdle = (held: ForthcomingInstance): ForthcomingInstance => ({
  ...held,
  osparams: { ...held.osparams, [idle]: "yes" },
});

/** Its effect begins: from now on nodes may count it as well. */
export const asBegun = (held: InstanceObject): InstanceObject => ({ ...held, osparams: {} });

/** Held for an operation whose effect nodes may count already. */
export const mayBeCountedTwice = (instance: InstanceObject): boolean =>
  instance.forthcoming === true &&
  instance.held_by !== undefined &&
  instance.osparams?.[idle] === undefined;
