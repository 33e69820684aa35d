/** Settings that only hroller has. */
import { defaultSettings } from "../settings.js";

export const hrollerDefaults = () => ({
  ...defaultSettings(),
  /** Instances are shut down while their nodes reboot. */
  offlineMaintenance: false,
  /** Only nodes with one of these tags. */
  nodeTags: undefined as readonly string[] | undefined,
  printMoves: false,
  /** Moves every instance off a group's nodes. */
  fullEvacuation: false,
  /** Excludes nodes that host an instance without a mirror. */
  skipNonRedundant: false,
  /** Leaves instances without a mirror where they are. */
  ignoreNonRedundant: false,
  /** Continues without a master node. */
  force: false,
  oneStepOnly: false,
});

export type HrollerSettings = ReturnType<typeof hrollerDefaults>;
