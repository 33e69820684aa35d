/** Settings that only hcheck has. */
import { defaultSettings, type Settings } from "../settings.js";

export interface HcheckSettings extends Settings {
  /** Balances a copy of the cluster to see what balancing would improve. */
  simulation: boolean;
}

export const hcheckDefaults = (): HcheckSettings => ({ ...defaultSettings(), simulation: true });
