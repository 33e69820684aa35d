/** Settings that only hscan has. */
import { defaultSettings } from "../settings.js";

export const hscanDefaults = () => ({
  ...defaultSettings(),
  /** Folder for the text files. */
  outputFolder: ".",
});

export type HscanSettings = ReturnType<typeof hscanDefaults>;
