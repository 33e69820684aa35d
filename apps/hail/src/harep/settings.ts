/** Settings that only harep has. */
import { defaultSettings, type Settings } from "../settings.js";

export interface HarepSettings extends Settings {
  /** Delay (seconds) before a repair acquires its locks; 0 or less: none. */
  jobDelaySeconds: number;
  dryRun: boolean;
}

export const harepDefaults = (): HarepSettings => ({
  ...defaultSettings(),
  luxi: "",
  jobDelaySeconds: 10,
  dryRun: false,
});
