/** Units that control nodes out of band or by restricted commands. */
import type { Unit } from "../unit/unit.js";
import { oobCommand } from "./oob-command.js";
import { restrictedCommand } from "./restricted-command.js";

export const powerUnits: readonly Unit[] = [oobCommand, restrictedCommand];
