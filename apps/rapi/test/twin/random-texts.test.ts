// Random clusters as texts, whose twins have the same texts.

import { defaultPolicy } from "@ganeti-ts/htools";
import type { ClusterData, InstanceData, NodeData } from "@ganeti-ts/protocol";
import { messages, sameEachTime } from "@ganeti-ts/testkit";
import { originOfText } from "@ganeti-ts/twin";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readByLuxi, textOf, withTwin } from "./twin-in-memory.js";

const making = { random: { fraction: Math.random }, now: 1000 };

const isDead = (node: NodeData) => node.offline && node.cpuTotal === 0 && node.memoryTotalMib === 0;

/** The cluster with figures and states that a real one can report, and without what a master does not tell. */
function reported(cluster: ClusterData): ClusterData {
  const nodes = cluster.nodes.map(reportedNode);
  const master = nodes.findIndex(({ offline }) => !offline);
  return {
    ...cluster,
    groups: cluster.groups.map((group) => ({
      ...group,
      networks: [],
      policy: { ...group.policy, std: defaultPolicy.std },
    })),
    nodes: nodes.map((node, at) => ({ ...node, master: at === master })),
    instances: cluster.instances.map((instance) =>
      reportedInstance(instance, nodes[instance.primary] as NodeData),
    ),
    hypervisor: undefined,
  };
}

function reportedNode(node: NodeData): NodeData {
  const memoryFreeMib = Math.max(0, node.memoryFreeMib);
  const diskFreeMib = Math.max(0, node.diskFreeMib);
  if (!node.exclusiveStorage) return { ...node, memoryFreeMib, diskFreeMib };
  const { spindleFree, spindleTotal, diskTotalMib } = node;
  // Only empty physical volumes count as free.
  if (spindleTotal === 0) return { ...node, memoryFreeMib, diskTotalMib: 0, diskFreeMib: 0 };
  if (spindleFree === 0) return { ...node, memoryFreeMib, diskFreeMib: 0 };
  const isEmpty = spindleFree === spindleTotal;
  return { ...node, memoryFreeMib, diskFreeMib: isEmpty ? diskTotalMib : diskFreeMib };
}

function reportedInstance(instance: InstanceData, primary: NodeData): InstanceData {
  const diskMib = instance.diskTemplate === "blockdev" ? 0 : instance.diskMib;
  if (instance.forthcoming) return { ...instance, diskMib, status: "ADMIN_down" };
  const status = isDead(primary) ? "ERROR_nodeoffline" : instance.status;
  return { ...instance, diskMib, status };
}

test("a random cluster as text, its twin, and the twin as text are equal", async () => {
  const seen = { forthcoming: 0, exclusive: 0, drained: 0, dead: 0, mirrored: 0, other: 0 };
  // The master is always there.
  const clusters = messages("allocate")
    .map(({ message }) => message.cluster)
    .filter(({ nodes }) => !nodes.every(isDead));
  await fc.assert(
    fc.asyncProperty(clusters, async (cluster) => {
      const text = textOf(reported(cluster));
      const origin = originOfText(text, making);
      expect(await withTwin(origin, async (twin) => textOf(await readByLuxi(twin)))).toBe(text);
      seen.forthcoming += cluster.instances.filter(({ forthcoming }) => forthcoming).length;
      seen.exclusive += cluster.nodes.filter((node) => node.exclusiveStorage).length;
      seen.drained += cluster.nodes.filter((node) => node.offline && !isDead(node)).length;
      seen.dead += cluster.nodes.filter(isDead).length;
      for (const { diskTemplate } of cluster.instances) {
        if (diskTemplate === "drbd") seen.mirrored++;
        else seen.other++;
      }
    }),
    { numRuns: 60, examples: sameEachTime(clusters, 40).map((cluster) => [cluster]) },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
});
