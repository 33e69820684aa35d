/** Units that test the job queue and its clients. */
import type { Unit } from "../unit/unit.js";
import { testAllocator } from "./allocator.js";
import { testDelay } from "./delay.js";
import { testDummy, testJqueue, testOsParams } from "./others.js";

export const testingUnits: readonly Unit[] = [
  testDelay,
  testAllocator,
  testJqueue,
  testOsParams,
  testDummy,
];
