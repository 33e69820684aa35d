/** Settings that only hbal has. */
import type { SubmitPriority } from "@ganeti-ts/protocol";
import { defaultSettings, type Settings } from "../settings.js";

export interface HbalSettings extends Settings {
  restrictedMigration: boolean;
  /** Prints and executes only the first set of jobs, whose jobs can run at once. */
  firstJobSetOnly: boolean;
  priority: SubmitPriority | undefined;
  preferForthcoming: boolean;
  /** Reports for each step the score terms it changes. */
  explain: boolean;
}

export const hbalDefaults = (): HbalSettings => ({
  ...defaultSettings(),
  restrictedMigration: false,
  firstJobSetOnly: false,
  priority: undefined,
  preferForthcoming: false,
  explain: false,
});
