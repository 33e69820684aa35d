/** Random instance policies: mostly open, some with narrow bounds. */
import { diskTemplates, type InstancePolicy } from "@ganeti-ts/protocol";
import { aPolicy, aSpec } from "./cluster.js";
import type { Dice } from "./simulation/dice.js";
import type { Traits } from "./traits.js";

export function throwPolicy(dice: Dice, traits: Traits): InstancePolicy {
  const open = aPolicy({
    diskTemplates,
    minMax: [{ min: aSpec({ memoryMib: 64 }), max: largest(dice) }],
    vcpuRatio: dice.pick([4, 4, 16, 1.5, 1]),
    spindleRatio: dice.pick([32, 32, 8.5, 1]),
  });
  if (!traits.strictPolicies) return { ...open, vcpuRatio: 8, spindleRatio: 32 };
  return {
    ...open,
    diskTemplates: dice.chance(0.3) ? dice.some(diskTemplates, 0.7) : diskTemplates,
    minMax: dice.pick([
      open.minMax,
      [],
      [
        { min: aSpec({ memoryMib: 2048, diskMib: 10240 }), max: largest(dice) },
        {
          min: aSpec(),
          max: aSpec({ memoryMib: 1024, cpuCount: 2, diskMib: 10240, diskCount: 2 }),
        },
      ],
      [{ min: aSpec({ memoryMib: 1024, cpuCount: 2 }), max: largest(dice) }],
    ]),
  };
}

const largest = (dice: Dice) =>
  aSpec({
    memoryMib: dice.pick([4096, 32768]),
    cpuCount: 8,
    diskMib: dice.pick([20480, 1048576]),
    diskCount: dice.pick([2, 16]),
    nicCount: 8,
    spindleUse: dice.pick([2, 12]),
  });
