/** Options for instance policies: the permitted sizes of instances. */
import type { Option } from "../command.js";
import { text } from "./kinds.js";

const policyStandard: Option = {
  name: "ipolicy-std-specs",
  type: "key-values",
  placeholder: "SPECS",
  help: "Standard size of instances: memory-size=2g,cpu-count=2,…",
};

/** I, as groups have them. */
export const groupPolicy: readonly Option[] = [
  {
    name: "ipolicy-bounds-specs",
    type: "many-id-key-values",
    placeholder: "BOUNDS",
    help: "All limits: min:memory-size=128,…/max:memory-size=8g,…[//min:…]",
  },
  {
    name: "ipolicy-disk-templates",
    type: "list",
    placeholder: "TEMPLATES",
    help: "Allowed disk templates, separated by commas",
  },
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

const spec = (name: string, what: string): Option => ({
  name: `specs-${name}`,
  type: "key-values",
  placeholder: "min=N,max=N,std=N",
  help: `Minimum, maximum and standard ${what} of an instance`,
});

/** X: limits one by one, for a new cluster. */
export const splitPolicy: readonly Option[] = [
  spec("cpu-count", "number of virtual CPUs"),
  spec("disk-count", "number of disks"),
  spec("disk-size", "size of a disk"),
  spec("mem-size", "memory"),
  spec("nic-count", "number of network cards"),
];
