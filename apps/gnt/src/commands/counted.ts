/** Argument runs by number: one, any number, at least one. */
import type { Argument, Kind } from "../command.js";

export const one = (kind: Kind): readonly [Argument] => [{ kind, min: 1, max: 1 }];

export const anyNumber = (kind: Kind): readonly [Argument] => [
  { kind, min: 0, max: Number.POSITIVE_INFINITY },
];

export const atLeastOne = (kind: Kind): readonly [Argument] => [
  { kind, min: 1, max: Number.POSITIVE_INFINITY },
];
