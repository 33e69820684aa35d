/** Traits of a random cluster as a whole. Few traits at once, so that the effect of each is visible. */
import { type DiskTemplate, diskTemplates } from "@ganeti-ts/protocol";
import type { Dice } from "./simulation/dice.js";

export interface Traits {
  /** Equal nodes produce ties. */
  readonly hardware: "equal" | "two kinds" | "varied";
  /** Free resources on the nodes: plenty, some, or hardly any. */
  readonly room: "roomy" | "usual" | "tight";
  readonly templates: readonly DiskTemplate[];
  readonly exclusiveStorage: "none" | "some" | "all";
  /** Drained nodes, dead nodes, and nodes that are not vm-capable. */
  readonly away: boolean;
  readonly exclusionTags: boolean;
  readonly locationTags: boolean;
  readonly desiredLocations: boolean;
  readonly migrationTags: boolean;
  readonly forthcoming: boolean;
  readonly manyDisks: boolean;
  /** Nodes without memory, CPUs or spindles, whose ratios are NaN. */
  readonly zeroSizes: boolean;
  /** Memory and disk that are not accounted for. */
  readonly leaks: boolean;
  readonly networks: boolean;
  readonly strictPolicies: boolean;
  /** Instances that are stopped or set offline. */
  readonly stopped: boolean;
  readonly hypervisor: "xen-pvm" | "kvm" | "fake" | undefined;
  /** Appended to every name. */
  readonly domain: string;
}

export function throwTraits(dice: Dice): Traits {
  return {
    hardware: dice.pick(["equal", "equal", "two kinds", "varied"]),
    room: dice.pick(["roomy", "usual", "usual", "tight"]),
    templates: dice.pick<readonly DiskTemplate[]>([
      ["drbd"],
      ["drbd", "plain"],
      ["drbd", "ext"],
      ["plain"],
      ["ext", "rbd", "sharedfile"],
      diskTemplates,
    ]),
    exclusiveStorage: dice.pick(["none", "none", "none", "none", "some", "all"]),
    away: dice.chance(0.35),
    exclusionTags: dice.chance(0.25),
    locationTags: dice.chance(0.25),
    desiredLocations: dice.chance(0.2),
    migrationTags: dice.chance(0.15),
    forthcoming: dice.chance(0.25),
    manyDisks: dice.chance(0.25),
    zeroSizes: dice.chance(0.08),
    leaks: dice.chance(0.3),
    networks: dice.chance(0.2),
    strictPolicies: dice.chance(0.3),
    stopped: dice.chance(0.4),
    hypervisor: dice.pick(["xen-pvm", "xen-pvm", "kvm", "fake", undefined]),
    domain: dice.pick(["", "", ".example.com"]),
  };
}
