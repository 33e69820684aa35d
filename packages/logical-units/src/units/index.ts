/** Every unit there is, by area. */
import type { Unit } from "../unit.js";
import { instanceUnits } from "./instance/index.js";

export const allUnits: readonly Unit[] = [...instanceUnits];
