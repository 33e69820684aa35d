/** Simulation kit: randomness, time and processes that a seed decides, and processes that end at a given effect. */
export { Dice } from "./simulation/dice.js";
export { Fuse, Killing, LosingAnswer } from "./simulation/fuse.js";
export { Process, type Rates } from "./simulation/process.js";
export { runSeeds } from "./simulation/run-seeds.js";
export { settled, VirtualClock } from "./simulation/virtual-clock.js";
