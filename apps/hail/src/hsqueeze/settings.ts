/** What only hsqueeze's options ask for. */
import { defaultSettings, type Settings } from "../settings.js";

export interface HsqueezeSettings extends Settings {
  /** Standard instances that every node must have room for, or nodes come back. */
  minimalResources: number;
  /** Standard instances that every node must have room for after nodes went offline. */
  targetResources: number;
}

export const hsqueezeDefaults = (): HsqueezeSettings => ({
  ...defaultSettings(),
  minimalResources: 2,
  targetResources: 2,
});
