/** Options of several commands about instances. */
import type { DiskTemplate } from "@ganeti-ts/protocol";
import type { Option } from "../command.js";
import { flag, text } from "./kinds.js";

export const backendOption: Option = {
  name: "backend-parameters",
  short: "B",
  type: "key-values",
  placeholder: "BEPARAMS",
  help: "Backend parameters, such as memory and vcpus: maxmem=1g,vcpus=2",
};

export const hypervisorOption: Option = {
  name: "hypervisor-parameters",
  short: "H",
  type: "key-values",
  placeholder: "HVPARAMS",
  help: "Parameters of the hypervisor",
};

export const diskOption: Option = {
  name: "disk",
  type: "id-key-values",
  repeatable: true,
  placeholder: "DISKS",
  help: "A disk by index and parameters: 0:size=10g",
};

export const netOption: Option = {
  name: "net",
  type: "id-key-values",
  repeatable: true,
  placeholder: "NICS",
  help: "A network interface by index and parameters: 0:network=net1,ip=pool",
};

export const diskTemplateOption: Option = {
  name: "disk-template",
  short: "t",
  type: "text",
  placeholder: "TEMPL",
  help: "Disk template",
  // In the order of Ganeti's texts.
  choices: Object.keys({
    ...{ diskless: 0, plain: 0, blockdev: 0, file: 0, ext: 0 },
    ...{ gluster: 0, rbd: 0, drbd: 0, sharedfile: 0 },
  } satisfies Record<DiskTemplate, 0>),
};

export const fileStorageDirOption = text(
  "file-storage-dir",
  "<DIR>",
  "Subdirectory for disks in files, below the cluster's directory",
);

export const fileDriverOption: Option = {
  name: "file-driver",
  type: "text",
  placeholder: "<DRIVER>",
  help: "Driver for disks in files",
  choices: ["loop", "blktap", "blktap2"],
};

export const placementOption: Option = {
  name: "node",
  short: "n",
  type: "text",
  placeholder: "<pnode>[:<snode>]",
  help: "Primary node, and secondary node if there is one",
  completes: "node",
};

export const singleNodeOption: Option = {
  name: "node",
  short: "n",
  type: "text",
  placeholder: "<node>",
  help: "Target node",
  completes: "node",
};

export const targetNodeOption: Option = {
  name: "target-node",
  short: "n",
  type: "text",
  placeholder: "NODE",
  help: "Target node",
  completes: "node",
};

export const newSecondaryOption: Option = {
  name: "new-secondary",
  short: "n",
  type: "text",
  placeholder: "NODE",
  help: "New secondary node",
  completes: "node",
};

export const osOption: Option = {
  name: "os-type",
  short: "o",
  type: "text",
  placeholder: "<os>",
  help: "Operating system",
  completes: "os",
};

export const forceVariantOption = flag(
  "force-variant",
  "Accept a variant that the operating system does not list",
);

export const osParametersOption: Option = {
  name: "os-parameters",
  short: "O",
  type: "key-values",
  placeholder: "OSPARAMS",
  help: "Parameters of the operating system",
};

export const osParametersPrivateOption: Option = {
  name: "os-parameters-private",
  type: "key-values",
  placeholder: "OSPARAMS_PRIVATE",
  help: "Private OS parameters, which are not written to logs",
};

/**
 * Public parameters, private ones, which are not logged, and secret ones, which are not stored
 * either.
 */
export const osParameterOptions: readonly Option[] = [
  osParametersOption,
  osParametersPrivateOption,
  {
    name: "os-parameters-secret",
    type: "key-values",
    placeholder: "OSPARAMS_SECRET",
    help: "Secret OS parameters, which are neither logged nor stored",
  },
];

export const noConflictsCheckOption = flag(
  "no-conflicts-check",
  "Accept addresses that lie in a network without being reserved there",
);

export const noWaitForSyncOption = flag(
  "no-wait-for-sync",
  "Do not wait until the disks are in sync: a failure of the primary may then lose data",
);

export const ignoreConsistencyOption = flag(
  "ignore-consistency",
  "Accept a secondary with outdated disks; the source node must be offline",
);

export const cleanupOption = flag(
  "cleanup",
  "Clean up after a failed migration or failover; harmless if nothing is left to do",
);

export const earlyReleaseOption = flag(
  "early-release",
  "Release the old secondary before the new one is in sync",
);

export const ignoreOfflineOption = flag(
  "ignore-offline",
  "Ignore offline nodes, and do what is possible without them",
);

export const noRememberOption = flag(
  "no-remember",
  "Do not record the new state in the configuration",
);

export const compressOption: Option = {
  name: "compress",
  type: "text",
  help: "Compression of the transferred data",
};

/** Mark M: options that select instances by the arguments. The last one counts. */
export const selectorOptions: readonly Option[] = [
  flag("force-multiple", "Do not ask for confirmation, even for several instances"),
  flag("node", "The arguments are nodes: all their instances"),
  flag("primary", "The arguments are nodes: their primary instances"),
  flag("secondary", "The arguments are nodes: their secondary instances"),
  flag("all", "All instances of the cluster"),
  flag("instance", "The arguments are instances (default)"),
  flag("node-tags", "The arguments are tags of nodes"),
  flag("pri-node-tags", "The arguments are tags of primary nodes"),
  flag("sec-node-tags", "The arguments are tags of secondary nodes"),
  flag("tags", "The arguments are tags of instances"),
];
