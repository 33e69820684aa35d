/** The opcodes of a Ganeti cluster: locks, checks and effects. */

export { type Planned, wantedInstance } from "./allocation/allocation.js";
export { masterAddress } from "./cluster/master-ip.js";
export { createExecutor } from "./executor.js";
export { type EndedJobPorts, jobIsOver, recoverHeld } from "./recovery.js";
