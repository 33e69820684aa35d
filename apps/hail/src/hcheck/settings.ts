/** Settings that only hcheck has. */
import { defaultSettings } from "../settings.js";

export const hcheckDefaults = () => ({
  ...defaultSettings(),
  /** Balances a copy of the cluster to see what balancing would improve. */
  simulation: true,
});

export type HcheckSettings = ReturnType<typeof hcheckDefaults>;
