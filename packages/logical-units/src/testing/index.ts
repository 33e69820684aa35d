/** Units that test the job queue and its clients. */
import { testAllocator } from "./allocator.js";
import { testDelay } from "./delay.js";
import { testDummy, testJqueue, testOsParams } from "./others.js";

export const testingUnits = [testDelay, testAllocator, testJqueue, testOsParams, testDummy];
