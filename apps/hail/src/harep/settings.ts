/** Settings that only harep has. */
import { defaultSettings } from "../settings.js";

export const harepDefaults = () => ({
  ...defaultSettings(),
  luxi: "",
  /** Delay (seconds) before a repair acquires its locks; 0 or less: none. */
  jobDelaySeconds: 10,
  dryRun: false,
  /** Also look at disks and physical volumes, and repair what has lost its storage. */
  storage: false,
  /** Print the reason of each repair, and put it into the trail of its job. */
  explain: false,
});

export type HarepSettings = ReturnType<typeof harepDefaults>;
