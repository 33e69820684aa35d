/** Every unit there is, by area. */
import type { Unit } from "../unit.js";
import { instanceUnits } from "./instance/index.js";
import { networkUnits } from "./network/index.js";
import { queryUnits } from "./query/index.js";
import { tagUnits } from "./tags/index.js";

export const allUnits: readonly Unit[] = [
  ...instanceUnits,
  ...networkUnits,
  ...tagUnits,
  ...queryUnits,
];
