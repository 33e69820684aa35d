/** What hcheck's options ask for beside what all programs have. */
import { defaultSettings, type Settings } from "../settings.js";

export interface HcheckSettings extends Settings {
  /** Looks, by balancing a copy of the cluster, what that would better. */
  simulation: boolean;
}

export const hcheckDefaults = (): HcheckSettings => ({ ...defaultSettings(), simulation: true });
