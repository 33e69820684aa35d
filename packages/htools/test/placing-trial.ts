// Trials for `addPrimary` and `addSecondary`: a node next to two others, existing instances, and one to add.
import type { InstanceData, NodeData } from "@ganeti-ts/protocol";
import { aCluster, aGroup, aNode, anInstance, aPolicy } from "@ganeti-ts/testkit";
import { expect, test } from "vitest";
import { fits, type Misfit, misfitNames } from "../src/fit/misfit.js";
import { addPrimary, addSecondary } from "../src/fit/placing.js";
import type { Cluster } from "../src/model/cluster.js";
import { type Instance, makeInstance } from "../src/model/instance.js";
import { loadCluster } from "../src/model/load.js";

interface Trial {
  /** Properties of the node under test: 10000 MiB free memory and disk, 4 CPUs, 2 spindles unless stated. */
  readonly node?: Partial<NodeData>;
  readonly vcpuRatio?: number;
  /** Existing instances: the primary is the node under test, unless `primary` names another. */
  readonly there?: Partial<InstanceData>;
  /** To add: 1000 MiB memory and disk, 1 vCPU unless stated. */
  readonly add: Partial<InstanceData>;
}

export interface Case extends Trial {
  readonly why: string;
  readonly result: string;
  /** With force; the same where not stated. */
  readonly forced?: string;
}

type Add = (cluster: Cluster, instance: Instance, force: boolean) => Misfit;

export const asPrimary: Add = (cluster, instance, force) =>
  addPrimary(cluster, instance, 9, 0, force, 0);

/** Properties of node2. */
export const asSecondary: Add = (cluster, instance, force) =>
  addSecondary(cluster, instance, 9, 0, 1, force);

/** A test of each case, without force and with it. */
export function testCases(add: Add, cases: readonly Case[]): void {
  test.each(cases)("$why", (one) => {
    const results = [false, true].map((force) => {
      const { cluster, instance } = tried(one);
      return nameOf(add(cluster, instance, force));
    });
    expect(results).toEqual([one.result, one.forced ?? one.result]);
  });
}

/** Loaded, and the instance that is to be added to node 0 as number 9. */
export function tried(one: Trial): { cluster: Cluster; instance: Instance } {
  const policy = aPolicy({ vcpuRatio: one.vcpuRatio ?? 4, spindleRatio: 4 });
  const node = { memoryTotalMib: 11000, memoryNodeMib: 1000, diskTotalMib: 10000, cpuTotal: 4 };
  const tested = aNode({ ...node, cpuNode: 0, spindleTotal: 2, ...one.node });
  const there = anInstance({ name: "there", memoryMib: 1, diskMib: 1, primary: 0, ...one.there });
  const data = aCluster({
    groups: [aGroup({ policy })],
    nodes: [tested, aNode({ name: "node2" }), aNode({ name: "node3" })],
    instances: one.there === undefined ? [] : [there],
    tags: ["htools:iextags:service"],
  });
  const cluster = loadCluster(data);
  const added = anInstance({ memoryMib: 1000, diskMib: 1000, diskTemplate: "plain", ...one.add });
  return { cluster, instance: makeInstance(added, -1, cluster.tagRules) };
}

const nameOf = (misfit: number) => (misfit === fits ? "fits" : misfitNames[misfit]);
export const drbd = { diskTemplate: "drbd" } as const;
export const exclusive = { exclusiveStorage: true, spindleFree: 2 };
export const disk = (spindles: number | undefined) => ({ disks: [{ sizeMib: 1000, spindles }] });
export const reservation = { ...drbd, forthcoming: true };
/** Mirrored here, so that the node keeps 4000 MiB for the failure of node2. */
export const mirrored = { ...drbd, memoryMib: 4000, primary: 1, secondary: 0 };
