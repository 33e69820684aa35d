/** Settings that only hsqueeze has. */
import { defaultSettings } from "../settings.js";

export const hsqueezeDefaults = () => ({
  ...defaultSettings(),
  /** Number of standard instances that every node must have room for; below it, nodes are brought back. */
  minimalResources: 2,
  /** Number of standard instances that every node must still have room for after nodes went offline. */
  targetResources: 2,
});

export type HsqueezeSettings = ReturnType<typeof hsqueezeDefaults>;
