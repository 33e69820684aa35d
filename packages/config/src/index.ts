/** Cluster configuration as data: snapshots, changes, and derived values. */

// The configuration in a process.

export { claimsOfKind, instanceOfClaim, instancesToCome } from "./claimed-instances.js";
export { devicesOfClaim, mayBeCountedTwice, namesOfClaim, nodesOfClaim } from "./claims.js";
export { ConfigError } from "./config-error.js";
export {
  Configuration,
  type ConfigurationStep,
  createConfiguration,
  type Decide,
} from "./configuration.js";
export { type InstanceInGroup, instancesOfGroupByNode } from "./group-instances.js";
export { addressesOnLink, instanceOnLink } from "./links.js";
export { isAmbiguous, ownerOfName } from "./lookup.js";
export {
  type ConfigChange,
  type ConfigurationContent,
  type ObjectsByType,
  type ObjectType,
  type Put,
  put,
  putCluster,
  type Removal,
  removal,
} from "./objects.js";

export { Snapshot, secondaryNodes } from "./snapshot.js";
export type { Difference } from "./sorted.js";

// Values derived from objects and the levels above them.

export { diskTemplate, templateOfTypes } from "./disk-template.js";
export {
  filledBeparams,
  filledDiskparams,
  filledGroupNdparams,
  filledHvparams,
  filledNdparam,
  filledNdparams,
  filledNicparams,
  filledOsparams,
  globalHvparams,
  groupPolicy,
} from "./filling.js";

// Used and free resources.

export {
  addressCounts,
  addressMap,
  externalAddresses,
  isInNetwork,
  isReserved,
  newAddressPool,
  nextFreeAddress,
  releaseAddress,
  reserveAddress,
} from "./address-pool.js";
export { secondCertificateOf, withoutCertificatesOf } from "./candidate-certificates.js";
export { drbdMinors, drbdSecret } from "./drbd.js";
export { isIpAddress, isIpv4, isIpv6 } from "./ip-address.js";
export { generateMac, mustBeFreeMac, readMac } from "./mac.js";
export { allocatePort, releasePorts } from "./network-ports.js";
export {
  networkOfAddress,
  nicFault,
  nicModeName,
  nicparamsFault,
  poolChanges,
  readNicMode,
  readVlan,
} from "./nic-rules.js";
export { checkUidPool, formatUidPool, parseUidPool, withoutUids, withUids } from "./uid-pool.js";

// Forthcoming instances, and claims of jobs.

export {
  capacityFaults,
  limitedOn,
  type NodeFigures,
  type Wanted,
} from "./forthcoming/capacity.js";
export {
  drbdMetaMib,
  fileStorage,
  type Reserved,
  reservedOn,
  type Share,
  shareOf,
  shareOfClaim,
  spaceOf,
  sumOfShares,
} from "./forthcoming/reserved.js";
export { livingDisk } from "./living-disk.js";
export { droppedClaims, releaseChanges, removalChanges } from "./removal.js";

// Policies and consistency checks.

export { consistencyFaults, faultsOfChanges } from "./consistency/consistency.js";
export { policyFault } from "./policy-faults.js";
export { policyViolations, specViolations, violationText } from "./policy-violations.js";
export { checkTag, withoutTags, withTags } from "./tags.js";

// Initial configuration.

export {
  configVersion,
  defaultDiskparams,
  defaultHvparams,
  defaultNdparams,
  defaultPolicy,
} from "./defaults.js";
export { type InitialCluster, initialConfiguration } from "./initial.js";

// Instances as sent to nodes, and the values that every node stores.

export { nodesOfInstance, realDisksOf } from "./instance-parts.js";
export {
  consoleRequest,
  diskOnNode,
  groupOf,
  hypervisorOnNode,
  instanceOnNode,
  nicOnNode,
  shownConsole,
} from "./on-node.js";
export { mayChangeSsconf, ssconfLines, ssconfValues } from "./ssconf.js";
export {
  exportVersion,
  osApiVersion,
  protocolVersion,
  softwareVersion,
  vcsVersion,
} from "./version.js";

// Ganeti's own file.

export { type ConfigFile, readConfigFile, writeConfigFile } from "./file/config-file.js";
export {
  ganetiFile,
  type LeftOut,
  nonAsciiPlaces,
  readLeftOut,
  withLeftOut,
} from "./file/ganeti-file.js";

// Generated values.

export { newUuid, randomUuid } from "./uuid.js";

// Storage.

export { createMemoryStore, createMemoryStores } from "./memory-store.js";
export type {
  Commit,
  CommitOutcome,
  ConfigRow,
  ConfigStore,
  LoadedConfiguration,
  StoredConfiguration,
} from "./store.js";
export { storedSerial } from "./stored-serial.js";
