/** Settings that only hail has. */
import { defaultSettings } from "../settings.js";

export const hailDefaults = () => ({
  ...defaultSettings(),
  /** Full names of the only nodes that may receive instances. */
  restrictTo: undefined as readonly string[] | undefined,
  /** Form of the explanation of the answer: text for people, JSON for programs. */
  explain: undefined as "text" | "json" | undefined,
});

export type HailSettings = ReturnType<typeof hailDefaults>;
