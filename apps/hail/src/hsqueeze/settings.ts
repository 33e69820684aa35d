/** Settings that only hsqueeze has. */
import { defaultSettings, type Settings } from "../settings.js";

export interface HsqueezeSettings extends Settings {
  /** Number of standard instances that every node must have room for; below it, nodes are brought back. */
  minimalResources: number;
  /** Number of standard instances that every node must still have room for after nodes went offline. */
  targetResources: number;
}

export const hsqueezeDefaults = (): HsqueezeSettings => ({
  ...defaultSettings(),
  minimalResources: 2,
  targetResources: 2,
});
