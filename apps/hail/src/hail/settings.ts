/** Settings that only hail has. */
import { defaultSettings, type Settings } from "../settings.js";

export interface HailSettings extends Settings {
  /** Full names of the only nodes that may receive instances. */
  restrictTo: readonly string[] | undefined;
  /** Form of the explanation of the answer: text for people, JSON for programs. */
  explain: "text" | "json" | undefined;
}

export const hailDefaults = (): HailSettings => ({
  ...defaultSettings(),
  restrictTo: undefined,
  explain: undefined,
});
