/** List of all units, by area. */

import type { OpcodeId } from "@ganeti-ts/protocol";
import { allocationUnits } from "./allocation/index.js";
import { backupUnits } from "./backup/index.js";
import { clusterUnits } from "./cluster/index.js";
import { groupUnits } from "./group/index.js";
import { instanceUnits } from "./instance/index.js";
import { networkUnits } from "./network/index.js";
import { nodeUnits } from "./node/index.js";
import { osUnits } from "./os/index.js";
import { powerUnits } from "./power/index.js";
import { queryUnits } from "./query/index.js";
import { storageUnits } from "./storage/index.js";
import { tagUnits } from "./tags/index.js";
import { testingUnits } from "./testing/index.js";
import type { Unit } from "./unit/unit.js";

const units = [
  ...instanceUnits,
  ...clusterUnits,
  ...nodeUnits,
  ...groupUnits,
  ...networkUnits,
  ...tagUnits,
  ...queryUnits,
  ...allocationUnits,
  ...backupUnits,
  ...osUnits,
  ...powerUnits,
  ...storageUnits,
  ...testingUnits,
];

type WithoutUnit = Exclude<OpcodeId, (typeof units)[number]["opcode"]>;

/** Does not compile while an opcode has no unit; the error names it. */
export const allUnits: readonly Unit[] & Record<WithoutUnit, Unit> = units;
