/** Units that act on nodes from beside them. */
import type { Unit } from "../unit/unit.js";
import { oobCommand } from "./oob-command.js";
import { restrictedCommand } from "./restricted-command.js";

export const powerUnits: readonly Unit[] = [oobCommand, restrictedCommand];
