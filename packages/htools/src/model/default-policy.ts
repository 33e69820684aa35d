/** Default instance policy, for clusters and groups without one. */
import { diskTemplates, type InstancePolicy, type InstanceSpec } from "@ganeti-ts/protocol";

const smallest: InstanceSpec = {
  memoryMib: 128,
  cpuCount: 1,
  diskMib: 1024,
  diskCount: 1,
  nicCount: 1,
  spindleUse: 1,
};
const largest: InstanceSpec = {
  memoryMib: 32768,
  cpuCount: 8,
  diskMib: 1048576,
  diskCount: 16,
  nicCount: 8,
  spindleUse: 12,
};

/** Source: Ganeti, Types of the instance policy, `defIPolicy`. */
export const defaultPolicy: InstancePolicy = {
  minMax: [{ min: smallest, max: largest }],
  std: smallest,
  diskTemplates,
  vcpuRatio: 4,
  spindleRatio: 32,
};
