/** Cluster configuration as data: snapshots, changes, and derived values. */

// The configuration in a process.

export { devicesOfClaim, mayBeCountedTwice, namesOfClaim, nodesOfClaim } from "./claims.js";
export {
  claimsOfKind,
  instanceOfClaim,
  instancesToCome,
  livingDisk,
} from "./claims-in-snapshot.js";
export { ConfigError } from "./config-error.js";
export type { ConfigurationStep, Decide } from "./configuration.js";
export { Configuration, createConfiguration } from "./configuration.js";
export { type InstanceInGroup, instancesOfGroupByNode } from "./group-instances.js";
export { addressesOnLink, instanceOnLink } from "./links.js";
export { isAmbiguous, ownerOfName } from "./lookup.js";
export type {
  ConfigChange,
  ConfigurationContent,
  ObjectsByType,
  ObjectType,
  Removal,
} from "./objects.js";
export { put, putCluster, removal } from "./objects.js";

export { Snapshot, secondaryNodes } from "./snapshot.js";
export type { Difference } from "./sorted.js";

// Values derived from objects and the levels above them.

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
export { diskTemplate, nodesOfInstance, realDisksOf, templateOfTypes } from "./instance-parts.js";

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
export {
  allocatePort,
  drbdMinors,
  drbdSecret,
  generateMac,
  mustBeFreeMac,
  newUuid,
  randomUuid,
  readMac,
  releasePorts,
} from "./generated.js";
export { isIpAddress, isIpv4, isIpv6 } from "./ip-address.js";
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

export type { NodeFigures, Reserved, Share, Wanted } from "./forthcoming/reserved.js";
export {
  capacityFaults,
  drbdMetaMib,
  fileStorage,
  limitedOn,
  reservedOn,
  shareOf,
  shareOfClaim,
  spaceOf,
  sumOfShares,
} from "./forthcoming/reserved.js";
export { droppedClaims, releaseChanges, removalChanges } from "./removal.js";

// Policies and consistency checks.

export { consistencyFaults, faultsOfChanges } from "./consistency/consistency.js";
export { policyFault, policyViolations, specViolations, violationText } from "./policies.js";
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
export type { LeftOut } from "./file/ganeti-file.js";
export { ganetiFile, nonAsciiPlaces, readLeftOut, withLeftOut } from "./file/ganeti-file.js";

// Generated values.

// Storage.

export { createMemoryStore, createMemoryStores } from "./memory-store.js";
export {
  type Commit,
  type CommitOutcome,
  type ConfigRow,
  type ConfigStore,
  type LoadedConfiguration,
  type StoredConfiguration,
  storedSerial,
} from "./store.js";
