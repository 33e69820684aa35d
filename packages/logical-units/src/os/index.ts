/** Units about operating systems and external storage. */
import { extStorageDiagnose, osDiagnose } from "./diagnose.js";

export const osUnits = [osDiagnose, extStorageDiagnose];
