/** Arguments that many commands about instances take. */
import type { Argument } from "../../command.js";

export const oneInstance: readonly Argument[] = [{ kind: "instance", min: 1, max: 1 }];
export const manyInstances: readonly Argument[] = [
  { kind: "instance", min: 0, max: Number.POSITIVE_INFINITY },
];
