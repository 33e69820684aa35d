/** Data of an instance that is not part of a cluster: a size to try. */
import type { InstanceData } from "@ganeti-ts/protocol";

type Size = Pick<InstanceData, "memoryMib" | "diskMib" | "vcpus" | "spindleUse" | "diskTemplate">;

/** Without name, disks, tags, networks and nodes; running unless `change` says otherwise. */
export const unplacedInstance = (size: Size, change: Partial<InstanceData> = {}): InstanceData => ({
  name: "",
  disks: [],
  status: "running",
  autoBalance: false,
  forthcoming: false,
  tags: [],
  networks: [],
  primary: -1,
  secondary: -1,
  ...size,
  ...change,
});
