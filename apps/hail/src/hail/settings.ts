/** What hail's options ask for beside what all programs have. */
import { defaultSettings, type Settings } from "../settings.js";

export interface HailSettings extends Settings {
  /** Full names of the only nodes to allocate on. */
  restrictTo: readonly string[] | undefined;
  /** Why the answer is what it is, for people or for programs. */
  explain: "text" | "json" | undefined;
}

export const hailDefaults = (): HailSettings => ({
  ...defaultSettings(),
  restrictTo: undefined,
  explain: undefined,
});
