/** The opcodes of a Ganeti cluster: locks, checks and effects. */

export { type Planned, wantedInstance } from "./allocation/wanted.js";
export { masterAddress } from "./cluster/master-address.js";
export { createExecutor } from "./executor.js";
export { type EndedJobPorts, jobIsOver, type RecoveryPorts, recoverHeld } from "./recovery.js";
export type { Unit, World, WorldPorts } from "./unit/unit.js";
