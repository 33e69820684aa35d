/** Units about where instances could go. */
import type { Unit } from "../unit/unit.js";
import { balance } from "./balance.js";
import { capacity } from "./capacity.js";

export const allocationUnits: readonly Unit[] = [balance, capacity];
