/** What hbal's options ask for beside what all programs have. */
import type { SubmitPriority } from "@ganeti-ts/protocol";
import { defaultSettings, type Settings } from "../settings.js";

export interface HbalSettings extends Settings {
  restrictedMigration: boolean;
  /** Prints and carries out only what can be done at once. */
  firstJobSetOnly: boolean;
  priority: SubmitPriority | undefined;
  preferForthcoming: boolean;
  /** Tells of every step which terms of the score it changes. */
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
