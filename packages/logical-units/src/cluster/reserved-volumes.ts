/** Which volumes of the cluster's volume group belong to others: its patterns, as one expression searches them. */

import { PrereqError } from "@ganeti-ts/job-queue";
import { compilePattern, FilterError } from "@ganeti-ts/query";

const whole = (pattern: string) => compilePattern(`^${pattern}$`);

/** @throws PrereqError for what is no regular expression */
export function checkReservedVolumes(patterns: readonly string[]): void {
  for (const pattern of patterns) {
    try {
      whole(pattern);
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      throw new PrereqError("wrong_input", `Reserved volume '${pattern}': ${error.message}`);
    }
  }
}

/** Whether a volume, as `group/name`, is one of them. An older cluster may have what is no expression: it is none. */
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
