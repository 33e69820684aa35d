/** Options for instance policies: the permitted sizes of instances. */
import type { Option } from "../command.js";
import { keyValues, list, manyIdKeyValues, text } from "./kinds.js";

const policyStandard = keyValues(
  "ipolicy-std-specs",
  "SPECS",
  "Standard size of instances: memory-size=2g,cpu-count=2,…",
);

/** I, as groups have them. */
export const groupPolicy: readonly Option[] = [
  manyIdKeyValues(
    "ipolicy-bounds-specs",
    "BOUNDS",
    "All limits: min:memory-size=128,…/max:memory-size=8g,…[//min:…]",
  ),
  list("ipolicy-disk-templates", "TEMPLATES", "Allowed disk templates, separated by commas"),
  text(
    "ipolicy-vcpu-ratio",
    "RATIO",
    "Maximum number of virtual CPUs per CPU of a node; default is valid for a group",
  ),
  text(
    "ipolicy-spindle-ratio",
    "RATIO",
    "Maximum number of instances per spindle; default is valid for a group",
  ),
];

/** I, as clusters have them. */
export const clusterPolicy: readonly Option[] = [policyStandard, ...groupPolicy];

const spec = (name: string, what: string): Option =>
  keyValues(
    `specs-${name}`,
    "min=N,max=N,std=N",
    `Minimum, maximum and standard ${what} of an instance`,
  );

/** X: limits one by one, for a new cluster. */
export const splitPolicy: readonly Option[] = [
  spec("cpu-count", "number of virtual CPUs"),
  spec("disk-count", "number of disks"),
  spec("disk-size", "size of a disk"),
  spec("mem-size", "memory"),
  spec("nic-count", "number of network cards"),
];
