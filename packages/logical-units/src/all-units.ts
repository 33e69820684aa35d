/** List of all units. */
import type { OpcodeId } from "@ganeti-ts/protocol";
import type { Unit } from "./unit/unit.js";
import * as units from "./units.js";

const all = Object.values(units);

type WithoutUnit = Exclude<OpcodeId, (typeof all)[number]["opcode"]>;

/** Does not compile while an opcode has no unit; the error names it. */
export const allUnits: readonly Unit[] & Record<WithoutUnit, Unit> = all;
