// A refusal must be the one that placing gives, also where a figure is exactly at its limit.
import type { Refusal } from "@ganeti-ts/protocol";
import { messages, randomRuns } from "@ganeti-ts/testkit";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { groupAt } from "../allocate/group-choice.js";
import { primaryMisfit, secondaryMisfit } from "../fit/fitting.js";
import { fits, type Misfit, misfitNames } from "../fit/misfit.js";
import { policyMisfit } from "../fit/policy-check.js";
import type { Cluster } from "../model/cluster.js";
import { type Instance, makeInstance } from "../model/instance.js";
import { loadCluster } from "../model/load.js";
import { changeNodes } from "../model/node-changes.js";
import { field } from "../model/node-columns.js";
import { policyRefusal } from "./policy-refusal.js";
import { primaryRefusal } from "./primary-refusal.js";
import { secondaryRefusal } from "./secondary-refusal.js";

/** The instance as it is, and with each figure at and around what the node has left. */
function* atLimits(cluster: Cluster, node: number, instance: Instance): Generator<Instance> {
  const get = (column: number) => cluster.get(node, column);
  const reserved = get(field.memoryReserved);
  const frees = [
    get(field.memoryUnallocated),
    get(field.memoryUnallocated) - reserved,
    get(field.memoryFreePlanned),
  ];
  yield instance;
  for (const by of [-1, 0, 1]) {
    for (const free of frees) yield { ...instance, memoryMib: Math.max(0, free + by) };
    for (const column of [field.diskFree, field.diskFreePlanned]) {
      const low = cluster.facts.diskLow[node] as number;
      yield { ...instance, diskMib: Math.max(0, get(column) + by) };
      yield { ...instance, diskMib: Math.max(0, get(column) - low + by) };
    }
    for (const column of [field.spindlesFree, field.spindlesFreePlanned]) {
      yield { ...instance, spindles: Math.max(0, get(column) + by) };
    }
    const { spindlesMax, vcpuRatio, cpuTotal } = cluster.facts;
    for (const column of [field.spindlesUsed, field.spindlesUsedPlanned]) {
      const spindleUse = (spindlesMax[node] as number) - get(column) + by;
      yield { ...instance, spindleUse: Math.max(0, spindleUse) };
    }
    const cpus = (vcpuRatio[node] as number) * (cpuTotal[node] as number);
    yield { ...instance, vcpus: Math.max(0, Math.floor(cpus - get(field.vcpusUsed)) + by) };
  }
}

const seen = { fits: 0, refused: 0, atLimit: 0 };

function compare(found: Refusal | undefined, misfit: Misfit): void {
  expect(found?.rule).toBe(misfit === fits ? undefined : misfitNames[misfit]);
  if (found === undefined) seen.fits++;
  else seen.refused++;
  if (found?.value !== undefined && found.value === found.limit) seen.atLimit++;
}

test("the reason shown is the reason for which placing fails", () => {
  fc.assert(
    fc.property(messages("allocate"), ({ message, switches }) => {
      if (message.request.type !== "allocate") return;
      const cluster = loadCluster(message.cluster);
      changeNodes(cluster, { reservedDiskRatio: switches.capacityChecks ? 0 : 0.1 });
      const force = switches.ignoreSoftErrors;
      const known = makeInstance(message.request.instance, -1, cluster.tagRules);
      for (let node = 0; node < cluster.nodeCount; node++) {
        const { policy } = groupAt(cluster, cluster.facts.groupOf[node] as number);
        const exclusive = cluster.facts.exclusiveStorage[node] === 1;
        for (const instance of atLimits(cluster, node, known)) {
          compare(
            policyRefusal(cluster, instance, node),
            policyMisfit(instance, policy, exclusive),
          );
          compare(
            primaryRefusal(cluster, instance, node, force),
            primaryMisfit(cluster, instance, node, force),
          );
          for (const primary of [-1, (node + 1) % cluster.nodeCount]) {
            for (const ignoreDisk of [false, true]) {
              compare(
                secondaryRefusal(cluster, instance, node, primary, { force, ignoreDisk }),
                secondaryMisfit(cluster, instance, node, primary, force, ignoreDisk),
              );
            }
          }
        }
      }
    }),
    { numRuns: randomRuns(100), seed: 1 },
  );
  expect(Object.values(seen).every((count) => count > 1000)).toBe(true);
});
