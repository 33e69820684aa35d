/** Units about storage of nodes. */
import { modifyStorage } from "./modify-storage.js";
import { queryStorage } from "./query-storage.js";
import { queryVolumes } from "./query-volumes.js";
import { repairStorage } from "./repair-storage.js";

export const storageUnits = [queryStorage, queryVolumes, modifyStorage, repairStorage];
