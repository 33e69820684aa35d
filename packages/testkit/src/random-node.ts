/** Random machines, and their figures with instances on them. */
import type { InstanceData, NodeData } from "@ganeti-ts/protocol";
import type { Dice } from "./simulation/dice.js";
import type { Traits } from "./traits.js";

/** A machine before instances are placed on it. */
export interface Hardware {
  readonly memoryTotalMib: number;
  readonly memoryNodeMib: number;
  readonly diskTotalMib: number;
  readonly cpuTotal: number;
  readonly cpuNode: number;
  readonly spindleTotal: number;
  readonly exclusiveStorage: boolean;
}

export function throwHardware(dice: Dice, nodeCount: number, traits: Traits): Hardware[] {
  const exclusive = () =>
    traits.exclusiveStorage === "all" || (traits.exclusiveStorage === "some" && dice.chance(0.5));
  const kinds = traits.hardware === "equal" ? 1 : traits.hardware === "two kinds" ? 2 : nodeCount;
  const known = Array.from({ length: kinds }, () => throwMachine(dice));
  const common = exclusive();
  return Array.from({ length: nodeCount }, (_, at) => {
    const machine = traits.hardware === "varied" ? (known[at] as Hardware) : dice.pick(known);
    const exclusiveStorage = traits.exclusiveStorage === "some" ? exclusive() : common;
    const zero = traits.zeroSizes && dice.chance(0.5);
    return { ...machine, exclusiveStorage, ...(zero ? zeroed(dice) : {}) };
  });
}

function throwMachine(dice: Dice): Hardware {
  return {
    memoryTotalMib: dice.pick([8192, 16384, 24576, 32768, dice.between(6000, 40000)]),
    memoryNodeMib: dice.pick([0, 512, 1024, 4096]),
    diskTotalMib: dice.pick([102400, 256000, 1024000, dice.between(60000, 900000)]),
    cpuTotal: dice.pick([2, 4, 8, 16]),
    cpuNode: dice.pick([0, 1, 1, 2]),
    spindleTotal: dice.pick([1, 2, 4, 12]),
    exclusiveStorage: false,
  };
}

const zeroed = (dice: Dice): Partial<Hardware> =>
  dice.pick([{ memoryTotalMib: 0, memoryNodeMib: 0 }, { cpuTotal: 0 }, { spindleTotal: 0 }]);

interface Place {
  readonly node: number;
  readonly groupIndex: number;
  readonly instances: readonly InstanceData[];
}

export function throwNode(
  dice: Dice,
  hardware: Hardware,
  { node, groupIndex, instances }: Place,
  traits: Traits,
): NodeData {
  const name = `node${node}${traits.domain}`;
  const state = traits.away ? dice.pick(["dead", "drained", "up", "up", "up"]) : "up";
  const common = { name, groupIndex, master: false, tags: throwTags(dice, traits), cpuSpeed: 1 };
  if (state === "dead") return { ...common, ...nothing, ...deadSpindles(hardware) };
  const used = usedBy(
    instances.filter(({ forthcoming }) => !forthcoming),
    node,
  );
  const leak = () => (traits.leaks && dice.chance(0.4) ? dice.between(-600, 3000) : 0);
  const spindleFree = hardware.exclusiveStorage
    ? Math.max(0, hardware.spindleTotal - used.spindles)
    : 0;
  return {
    ...common,
    offline: state === "drained",
    memoryTotalMib: hardware.memoryTotalMib,
    memoryNodeMib: hardware.memoryNodeMib,
    memoryFreeMib: hardware.memoryTotalMib - hardware.memoryNodeMib - used.memoryMib - leak(),
    diskTotalMib: hardware.diskTotalMib,
    diskFreeMib: hardware.diskTotalMib - used.diskMib - leak(),
    cpuTotal: hardware.cpuTotal,
    cpuNode: hardware.cpuNode,
    spindleTotal: hardware.spindleTotal,
    spindleFree,
    exclusiveStorage: hardware.exclusiveStorage,
  };
}

/** Figures of a node that is not live. */
const nothing = {
  offline: true,
  memoryTotalMib: 0,
  memoryNodeMib: 0,
  memoryFreeMib: 0,
  diskTotalMib: 0,
  diskFreeMib: 0,
  cpuTotal: 0,
  cpuNode: 0,
  spindleFree: 0,
};

const deadSpindles = ({ exclusiveStorage, spindleTotal }: Hardware) => ({
  exclusiveStorage,
  spindleTotal: exclusiveStorage ? 0 : spindleTotal,
});

function usedBy(instances: readonly InstanceData[], node: number) {
  const used = { memoryMib: 0, diskMib: 0, spindles: 0 };
  for (const instance of instances) {
    const { primary, secondary, status, diskTemplate } = instance;
    if (primary === node && status === "running") used.memoryMib += instance.memoryMib;
    if (primary !== node && secondary !== node) continue;
    if (diskTemplate !== "drbd" && diskTemplate !== "plain") continue;
    used.diskMib += instance.diskMib;
    for (const { spindles } of instance.disks) used.spindles += spindles ?? 1;
  }
  return used;
}

function throwTags(dice: Dice, traits: Traits): string[] {
  const located = traits.locationTags || traits.desiredLocations;
  return [
    ...(located ? [`rack:${dice.between(1, 2)}`, `power:${dice.between(1, 3)}`] : []),
    ...(traits.migrationTags && dice.chance(0.6) ? [dice.pick(["cpu:old", "cpu:new"])] : []),
    ...(dice.chance(0.1) ? ["htools:standby:yes"] : []),
  ];
}
