/** Units about exports of instances. */
import type { Unit } from "../unit/unit.js";
import { exportInstance } from "./export.js";
import { prepareExport } from "./prepare.js";
import { removeExports } from "./remove.js";

export const backupUnits: readonly Unit[] = [prepareExport, exportInstance, removeExports];
