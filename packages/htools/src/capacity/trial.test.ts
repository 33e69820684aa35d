import { expect, test } from "vitest";
import { failCpu, failDisk, failMem, failN1, failSpindles } from "../fit/misfit.js";
import { shrink, shrinkCount, shrunk } from "./trial.js";

const spec = { memoryMib: 200, diskMib: 600, vcpus: 2, spindles: 1 };

test.each([
  ["memory by 64 MiB", failMem, { ...spec, memoryMib: 136 }],
  ["disk by 256 MiB", failDisk, { ...spec, diskMib: 344 }],
  ["vCPUs by one", failCpu, { ...spec, vcpus: 1 }],
  ["spindles not below one", failSpindles, undefined],
  ["nothing where no size helps", failN1, undefined],
])("shrinking takes %s", (_, reason, expected) => {
  expect(shrink(spec, reason)).toEqual(expected);
});

test.each([
  [64, 0],
  [127, 0],
  [128, 1],
  [200, 2],
  [-64, 0],
])("%i MiB of memory shrink %i times: a whole step must be left", (memoryMib, times) => {
  const size = { ...spec, memoryMib };
  expect(shrinkCount(size, failMem)).toBe(times);
  const least = shrunk(size, failMem, times);
  expect(shrink(least, failMem)).toBeUndefined();
});
