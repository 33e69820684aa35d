/** Units about where instances could go. */
import { balance } from "./balance.js";
import { capacity } from "./capacity.js";

export const allocationUnits = [balance, capacity];
