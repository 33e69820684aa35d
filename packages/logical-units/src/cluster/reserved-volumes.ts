/**
 * Reserved volumes: patterns for volumes of the cluster's volume group that belong to other
 * programs.
 */

import { compilePattern, FilterError } from "@ganeti-ts/query";
import { wrongInput } from "../unit/refusals.js";

const whole = (pattern: string) => compilePattern(`^${pattern}$`);

/** @throws PrereqError for a pattern that is not a valid regular expression */
export function checkReservedVolumes(patterns: readonly string[]): void {
  for (const pattern of patterns) {
    try {
      whole(pattern);
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      wrongInput(`Reserved volume '${pattern}': ${error.message}`);
    }
  }
}

/**
 * Predicate for volumes, given as `group/name`. An older cluster may have an invalid pattern, which
 * matches nothing.
 */
export function reservedVolumes(patterns: readonly string[]): (volume: string) => boolean {
  const reserved = patterns.flatMap((pattern) => {
    try {
      return [whole(pattern)];
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      return [];
    }
  });
  return (volume) => reserved.some((pattern) => pattern.found(volume));
}
