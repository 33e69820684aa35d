/** Deviations of the score that a new instance changes, by the role of the node. */
import { at } from "./metrics.js";

/** Those of both nodes of a pair. */
export const ofBoth: readonly number[] = [
  at.diskFree,
  at.loadDisk,
  at.spindles,
  at.diskFreePlanned,
  at.spindlesPlanned,
];

/** Those of the primary alone, whether or not there is a secondary; the secondary alone changes `at.reserved`. */
export const ofPrimaryAlone: readonly number[] = [
  at.memoryFree,
  at.vcpus,
  at.loadCpu,
  at.loadMemory,
  at.loadNetwork,
  at.memoryFreePlanned,
  at.vcpusPlanned,
];

export const ofPrimary: readonly number[] = [...ofBoth, ...ofPrimaryAlone];
