/** Units about exports of instances. */
import { exportInstance } from "./export.js";
import { prepareExport } from "./prepare.js";
import { removeExports } from "./remove.js";

export const backupUnits = [prepareExport, exportInstance, removeExports];
