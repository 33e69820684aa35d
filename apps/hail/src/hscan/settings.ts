/** Settings that only hscan has. */
import { defaultSettings, type Settings } from "../settings.js";

export interface HscanSettings extends Settings {
  /** Folder for the text files. */
  outputFolder: string;
}

export const hscanDefaults = (): HscanSettings => ({ ...defaultSettings(), outputFolder: "." });
