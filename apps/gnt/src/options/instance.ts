/** Options of several commands about instances. */
import type { DiskTemplate } from "@ganeti-ts/protocol";
import type { Option } from "../command.js";
import { flag, idKeyValues, keyValues, text } from "./kinds.js";

export const backendOption = keyValues(
  "backend-parameters",
  "BEPARAMS",
  "Backend parameters, such as memory and vcpus: maxmem=1g,vcpus=2",
  { short: "B" },
);

export const hypervisorOption = keyValues(
  "hypervisor-parameters",
  "HVPARAMS",
  "Parameters of the hypervisor",
  { short: "H" },
);

export const diskOption = idKeyValues(
  "disk",
  "DISKS",
  "A disk by index and parameters: 0:size=10g",
  { repeatable: true },
);

export const netOption = idKeyValues(
  "net",
  "NICS",
  "A network interface by index and parameters: 0:network=net1,ip=pool",
  { repeatable: true },
);

export const diskTemplateOption = text("disk-template", "TEMPL", "Disk template", {
  short: "t",
  choices: Object.keys({
    ...{ diskless: 0, plain: 0, blockdev: 0, file: 0, ext: 0 },
    ...{ gluster: 0, rbd: 0, drbd: 0, sharedfile: 0 },
  } satisfies Record<DiskTemplate, 0>),
});

export const fileStorageDirOption = text(
  "file-storage-dir",
  "<DIR>",
  "Subdirectory for disks in files, below the cluster's directory",
);

export const fileDriverOption = text("file-driver", "<DRIVER>", "Driver for disks in files", {
  choices: ["loop", "blktap", "blktap2"],
});

export const placementOption = text(
  "node",
  "<pnode>[:<snode>]",
  "Primary node, and secondary node if there is one",
  { short: "n", completes: "node" },
);

export const singleNodeOption = text("node", "<node>", "Target node", {
  short: "n",
  completes: "node",
});

export const targetNodeOption = text("target-node", "NODE", "Target node", {
  short: "n",
  completes: "node",
});

export const newSecondaryOption = text("new-secondary", "NODE", "New secondary node", {
  short: "n",
  completes: "node",
});

export const osOption = text("os-type", "<os>", "Operating system", {
  short: "o",
  completes: "os",
});

export const forceVariantOption = flag(
  "force-variant",
  "Accept a variant that the operating system does not list",
);

export const osParametersOption = keyValues(
  "os-parameters",
  "OSPARAMS",
  "Parameters of the operating system",
  { short: "O" },
);

export const osParametersPrivateOption = keyValues(
  "os-parameters-private",
  "OSPARAMS_PRIVATE",
  "Private OS parameters, which are not written to logs",
);

/**
 * Public parameters, private ones, which are not logged, and secret ones, which are not stored
 * either.
 */
export const osParameterOptions: readonly Option[] = [
  osParametersOption,
  osParametersPrivateOption,
  keyValues(
    "os-parameters-secret",
    "OSPARAMS_SECRET",
    "Secret OS parameters, which are neither logged nor stored",
  ),
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

export const compressOption = text("compress", "COMPRESS", "Compression of the transferred data");

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
