// The cluster of a master of Ganeti: read, judged and taken over.

export { adopt, databaseRefusal, examine, findingLines } from "./adopt.js";
export { type Adopted, adoptedOf, readAdopted, writeAdopted } from "./adopted.js";
export type { Findings } from "./adoption-checks.js";
export { firstConfiguration } from "./first-configuration.js";
export { markRealNodes, marksOfOwnCluster } from "./made-here.js";
export { ownDigest, readOriginalConfiguration } from "./original.js";
export { takeOver } from "./take-over.js";
export type { TakeoverChoices } from "./take-over-shared.js";
export { NotMasterError, TakeoverError } from "./takeover-error.js";
export type { TakeoverPlace, TakeoverStores } from "./takeover-place.js";

// Mastership: votes, fences, and the steps by which a candidate becomes the master.

export { type CallPlaces, fencedCalls } from "./fenced-calls.js";
export { type MasterWatch, watchMaster } from "./master-watch.js";
export { tellNodes } from "./new-master.js";
export { noFence } from "./no-fence.js";
export { anyCaller, beElected, holdVote, type Vote, voteFault } from "./voting.js";

// The machine of the master: Ganeti's daemons, files and certificates.

export {
  bringBackGanetiFiles,
  checkSameCluster,
  ganetiFiles,
  prepareQueue,
} from "./enclosed-folder.js";
export { keepDown, letGo, letGoOfFormerMaster } from "./kept-down.js";
export { localGanetiFiles, ownPresentConfiguration, stampsIn } from "./local-files.js";
export { certificateFault, masterMachine } from "./master-machine.js";
export { certificatesOf, introducedClient } from "./node-client.js";

// Handing the cluster back.

export { type HandBackParts, handBack, lostAtHandBack } from "./hand-back.js";
export type { TakeoverLog } from "./log.js";
