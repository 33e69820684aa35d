/** Settings that only hspace has. */
import type { TrialSpec } from "@ganeti-ts/htools";
import type { DiskTemplate } from "@ganeti-ts/protocol";
import { defaultSettings } from "../settings.js";

export const hspaceDefaults = () => ({
  ...defaultSettings(),
  diskTemplate: undefined as DiskTemplate | undefined,
  spindleUse: undefined as number | undefined,
  standardSpec: undefined as TrialSpec | undefined,
  tieredSpec: undefined as TrialSpec | undefined,
  independentGroups: false,
  acceptExistingErrors: false,
});

export type HspaceSettings = ReturnType<typeof hspaceDefaults>;
