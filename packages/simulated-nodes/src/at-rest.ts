/** Checks of simulated nodes against the configuration of their cluster, for tests of operations; no operation may be running. */
export { DumpedSystems } from "./at-rest/dumped-systems.js";
export { faultsAtRest, memoryLeft } from "./at-rest/faults.js";
export { lostData, lostSystems, missingDevices } from "./at-rest/lost-data.js";
export { commandsOfVerification, opcodeOf } from "./at-rest/repair-commands.js";
export { fillDevices } from "./at-rest/stored-disk.js";
export { straysRunning, usersOfHeld } from "./at-rest/strays.js";
