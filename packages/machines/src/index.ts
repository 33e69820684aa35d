// Machines: running scripts on them, their requirements, and how they become nodes and are released.

export { MachineError } from "./machine-error.js";
export { type Ended, type Machine, mustRun, shellWord, thisMachine } from "./machine-way.js";

// Joining and leaving a cluster.

export { answers } from "./daemon-answers.js";
export {
  type JoiningNode,
  type JoiningPlace,
  type PreparationPlace,
  prepareNode,
  releaseNode,
} from "./joining.js";
export { daemonInput, joinInput, prepareGanetiNode } from "./joining-ganeti.js";
export { authorize, clearNode, rootKey, setUpNode } from "./node-setup.js";
export {
  checkRequirements,
  type Facts,
  factsOf,
  type Requirements,
  requirementsOf,
} from "./requirements.js";

// The machine of a server: Ganeti's files, name resolution, ssh with the keys of the cluster.

export { sshOptions, writePublicKeys } from "./public-keys.js";
export {
  exportsOn,
  type GanetiSite,
  ganetiSite,
  localPath,
  pathOn,
  rootOf,
  type SiteOptions,
  siteOfNode,
} from "./site.js";
export { type RemoteRun, runOverSsh, type SshOptions, sshArguments } from "./ssh.js";
export { systemResolver } from "./system-resolver.js";

// Certificates.

export { digestOf, newClusterPem, newNodePem } from "./pem.js";
export { x509 } from "./x509.js";
