/** What only hroller's options ask for. */
import { defaultSettings, type Settings } from "../settings.js";

export interface HrollerSettings extends Settings {
  /** The instances are shut down while their nodes are. */
  offlineMaintenance: boolean;
  /** Only nodes with one of these tags. */
  nodeTags: readonly string[] | undefined;
  printMoves: boolean;
  /** Moves every instance off a group's nodes. */
  fullEvacuation: boolean;
  /** Leaves out nodes that host an instance without a mirror. */
  skipNonRedundant: boolean;
  /** Leaves instances without a mirror where they are. */
  ignoreNonRedundant: boolean;
  /** Goes on without a master. */
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
