/** What harep's options ask for beside what all programs have. */
import { defaultLuxiSocket } from "../options/sources.js";
import { defaultSettings, type Settings } from "../settings.js";

export interface HarepSettings extends Settings {
  /** How long a repair waits before it takes its locks, in seconds; 0 or less: not at all. */
  jobDelaySeconds: number;
  dryRun: boolean;
}

export const harepDefaults = (): HarepSettings => ({
  ...defaultSettings(),
  luxi: defaultLuxiSocket,
  jobDelaySeconds: 10,
  dryRun: false,
});
