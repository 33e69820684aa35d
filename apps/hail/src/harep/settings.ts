/** Settings that only harep has. */
import { defaultSettings, type Settings } from "../settings.js";

export interface HarepSettings extends Settings {
  /** Delay (seconds) before a repair acquires its locks; 0 or less: none. */
  jobDelaySeconds: number;
  dryRun: boolean;
  /** Also look at disks and physical volumes, and repair what has lost its storage. */
  storage: boolean;
  /** Print the reason of each repair, and put it into the trail of its job. */
  explain: boolean;
}

export const harepDefaults = (): HarepSettings => ({
  ...defaultSettings(),
  luxi: "",
  jobDelaySeconds: 10,
  dryRun: false,
  storage: false,
  explain: false,
});
