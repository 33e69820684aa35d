/** Random instances, not yet placed. */
import type { DiskTemplate, InstanceData } from "@ganeti-ts/protocol";
import { anInstance } from "./cluster.js";
import type { Dice } from "./simulation/dice.js";
import type { Traits } from "./traits.js";

export function throwDescription(
  dice: Dice,
  name: string,
  traits: Traits,
  diskTemplate: DiskTemplate = dice.pick(traits.templates),
): InstanceData {
  const exclusive = traits.exclusiveStorage !== "none";
  const diskCount = diskTemplate === "diskless" ? 0 : traits.manyDisks ? dice.between(1, 3) : 1;
  const equal = traits.hardware === "equal" && dice.chance(0.7);
  const disks = Array.from({ length: diskCount }, () => ({
    sizeMib: equal ? 10240 : dice.pick([1024, 5120, 10240, dice.between(1024, 30000)]),
    spindles: exclusive && dice.chance(0.9) ? dice.between(1, 2) : undefined,
  }));
  return anInstance({
    name,
    memoryMib: equal ? 1024 : dice.pick([128, 512, 1024, 2048, dice.between(100, 5000)]),
    disks,
    vcpus: equal ? 1 : dice.pick([1, 1, 2, 4]),
    spindleUse: equal ? 1 : dice.pick([1, 1, 2]),
    diskTemplate,
    status: traits.stopped
      ? dice.pick(["running", "running", "ADMIN_down", "ADMIN_offline"])
      : "running",
    forthcoming: traits.forthcoming && dice.chance(0.3),
    tags: throwTags(dice, traits),
    networks: traits.networks
      ? [dice.pick(["network-1", "network-2", null])]
      : dice.pick([[], [null]]),
  });
}

function throwTags(dice: Dice, traits: Traits): string[] {
  return [
    ...(traits.exclusionTags
      ? dice.some(["service:web", "service:db", "owner:me", "owner:me", "serviceless"], 0.3)
      : []),
    ...(traits.desiredLocations ? dice.some(["rack:1", "rack:2"], 0.4) : []),
    ...(dice.chance(0.1) ? ["unrelated"] : []),
  ];
}
