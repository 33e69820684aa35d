/** What hscan's options ask for beside what all programs have. */
import { defaultSettings, type Settings } from "../settings.js";

export interface HscanSettings extends Settings {
  /** Where the files go. */
  outputFolder: string;
}

export const hscanDefaults = (): HscanSettings => ({ ...defaultSettings(), outputFolder: "." });
