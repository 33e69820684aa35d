/** Failures of a simulated node, with the value that each takes. */

export interface SimulatedFailure {
  readonly name: string;
  /** Example of the value. */
  readonly example?: string;
  readonly does: string;
  readonly value?: {
    /** Key in the request. */
    readonly key: string;
    readonly type: "text" | "number" | "size";
    /** Description of the value in messages. */
    readonly means: string;
    readonly needed: boolean;
  };
}

const device = {
  key: "device",
  type: "text",
  means: "a device",
  needed: false,
} as const;
const instance = {
  key: "instance",
  type: "text",
  means: "the name of an instance",
  needed: true,
} as const;
const times = {
  key: "times",
  type: "number",
  means: "a factor",
  needed: false,
} as const;
const free = {
  key: "free_mib",
  type: "size",
  means: "a size",
  needed: false,
} as const;

export const simulatedFailures: readonly SimulatedFailure[] = [
  { name: "kill", does: "lose power and stop answering" },
  { name: "revive", does: "boot without running instances, and with unchanged disks" },
  {
    name: "slow",
    example: "20",
    does: "multiply the duration of calls and synchronisation (default 10); 1 ends that",
    value: times,
  },
  {
    name: "fill-disk",
    example: "2g",
    does: "leave this much free space in the volume group (default none)",
    value: free,
  },
  { name: "empty-disk", does: "free the filled space again" },
  {
    name: "break-disk",
    does: "lose the first disk, or DEVICE, with its data",
    value: device,
  },
  { name: "mend-disk", does: "bring the disk back", value: device },
  { name: "crash", example: "web1.example.com", does: "crash the instance", value: instance },
  {
    name: "user-shutdown",
    example: "web1.example.com",
    does: "shut the instance down from inside",
    value: instance,
  },
];
