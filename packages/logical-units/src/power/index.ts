/** Units that control nodes out of band or by restricted commands. */
import { oobCommand } from "./oob-command.js";
import { restrictedCommand } from "./restricted-command.js";

export const powerUnits = [oobCommand, restrictedCommand];
