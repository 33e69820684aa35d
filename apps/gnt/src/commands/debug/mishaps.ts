/** Failures of a simulated node, with the value that each takes. */

export interface Mishap {
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

export const mishaps: readonly Mishap[] = [
  { name: "kill", does: "it loses power and answers nobody" },
  { name: "revive", does: "it boots; nothing runs on it, its disks are as they were" },
  {
    name: "slow",
    example: "20",
    does: "calls and synchronisation take so many times as long (10); 1 ends that",
    value: times,
  },
  {
    name: "fill-disk",
    example: "2g",
    does: "so much is left of its volume group; without a size nothing",
    value: free,
  },
  { name: "empty-disk", does: "frees that again" },
  {
    name: "break-disk",
    does: "its first disk, or DEVICE, is gone with what it carried",
    value: device,
  },
  { name: "mend-disk", does: "the disk is back", value: device },
  { name: "crash", example: "web1.example.com", does: "the instance dies", value: instance },
  {
    name: "user-shutdown",
    example: "web1.example.com",
    does: "the user of the instance shuts it down from inside",
    value: instance,
  },
];
