/** Settings that only hbal has. */
import type { SubmitPriority } from "@ganeti-ts/protocol";
import { defaultSettings } from "../settings.js";

export const hbalDefaults = () => ({
  ...defaultSettings(),
  restrictedMigration: false,
  /** Prints and executes only the first set of jobs, whose jobs can run at once. */
  firstJobSetOnly: false,
  priority: undefined as SubmitPriority | undefined,
  preferForthcoming: false,
  /** Reports for each step the score terms it changes. */
  explain: false,
});

export type HbalSettings = ReturnType<typeof hbalDefaults>;
