/** Kinds of moves, numbered in the order in which they are tried. */
import type { TargetedKind } from "../balance-move.js";

export const kindAt = {
  failover: 0,
  replaceSecondary: 1,
  replaceAndFailover: 2,
  replacePrimary: 3,
  failoverAndReplace: 4,
  failoverToAny: 5,
} as const;
export const kindCount = 6;

export const kindNames: readonly (TargetedKind | "failover")[] = [
  "failover",
  "replace-secondary",
  "replace-and-failover",
  "replace-primary",
  "failover-and-replace",
  "failover-to-any",
];
