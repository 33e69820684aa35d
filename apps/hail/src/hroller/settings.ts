/** Settings that only hroller has. */
import { defaultSettings, type Settings } from "../settings.js";

export interface HrollerSettings extends Settings {
  /** Instances are shut down while their nodes reboot. */
  offlineMaintenance: boolean;
  /** Only nodes with one of these tags. */
  nodeTags: readonly string[] | undefined;
  printMoves: boolean;
  /** Moves every instance off a group's nodes. */
  fullEvacuation: boolean;
  /** Excludes nodes that host an instance without a mirror. */
  skipNonRedundant: boolean;
  /** Leaves instances without a mirror where they are. */
  ignoreNonRedundant: boolean;
  /** Continues without a master node. */
  force: boolean;
  oneStepOnly: boolean;
}

export const hrollerDefaults = (): HrollerSettings => ({
  ...defaultSettings(),
  offlineMaintenance: false,
  nodeTags: undefined,
  printMoves: false,
  fullEvacuation: false,
  skipNonRedundant: false,
  ignoreNonRedundant: false,
  force: false,
  oneStepOnly: false,
});
