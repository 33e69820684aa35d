/** Settings that only hspace has. */
import type { TrialSpec } from "@ganeti-ts/htools";
import type { DiskTemplate } from "@ganeti-ts/protocol";
import { defaultSettings, type Settings } from "../settings.js";

export interface HspaceSettings extends Settings {
  diskTemplate: DiskTemplate | undefined;
  spindleUse: number | undefined;
  standardSpec: TrialSpec | undefined;
  tieredSpec: TrialSpec | undefined;
  independentGroups: boolean;
  acceptExistingErrors: boolean;
}

export const hspaceDefaults = (): HspaceSettings => ({
  ...defaultSettings(),
  diskTemplate: undefined,
  spindleUse: undefined,
  standardSpec: undefined,
  tieredSpec: undefined,
  independentGroups: false,
  acceptExistingErrors: false,
});
