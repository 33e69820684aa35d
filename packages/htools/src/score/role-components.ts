/** Deviations of the score that a new mirrored instance changes, by the role of the node. */
import { at } from "./metrics.js";

/** Those of both nodes of a pair. */
export const ofBoth: readonly number[] = [
  at.diskFree,
  at.loadDisk,
  at.spindles,
  at.diskFreePlanned,
  at.spindlesPlanned,
];

/** Those of the primary alone; the secondary alone changes `at.reserved`. */
export const ofPrimaryAlone: readonly number[] = [
  at.memoryFree,
  at.vcpus,
  at.loadCpu,
  at.loadMemory,
  at.loadNetwork,
  at.memoryFreePlanned,
  at.vcpusPlanned,
];
