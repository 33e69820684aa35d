/** Units about operating systems and external storage. */
import type { Unit } from "../unit/unit.js";
import { extStorageDiagnose, osDiagnose } from "./diagnose.js";

export const osUnits: readonly Unit[] = [osDiagnose, extStorageDiagnose];
