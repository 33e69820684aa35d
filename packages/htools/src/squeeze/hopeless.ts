/** Fast test that no balancing can succeed, which avoids most failing trials. */
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import { field } from "../model/node-columns.js";

/**
 * True only if it is impossible to move all primaries to online nodes and leave room for `reserve` on every
 * node, including offline ones: an instance cannot leave its node, an offline node is too small even when
 * empty, or the online nodes are too small for everything together. Cost: O(nodes + instances), where a trial
 * costs many times that for every step.
 */
export function hopeless(cluster: Cluster, reserve: Instance): boolean {
  return isStuck(cluster) || lacksMemory(cluster, reserve) || lacksVcpus(cluster, reserve);
}

function isStuck({ primaryOf, facts, movable, instances }: Cluster): boolean {
  return primaryOf.some(
    (node, index) =>
      facts.offline[node] === 1 &&
      (movable[index] !== 1 || !(instances[index] as Instance).data.autoBalance),
  );
}

/** A node that takes an instance must keep more than 0 MiB. */
function lacksMemory(cluster: Cluster, { memoryMib }: Instance): boolean {
  const { memoryUsable, offline } = cluster.facts;
  let online = 0;
  let leftMib = 0;
  for (let node = 0; node < cluster.nodeCount; node++) {
    const freeMib = cluster.get(node, field.memoryUnallocated);
    const usableMib = memoryUsable[node] as number;
    if (offline[node] === 1) {
      if (usableMib - memoryMib <= 0) return true;
      leftMib -= usableMib - freeMib;
    } else {
      online++;
      leftMib += freeMib;
    }
  }
  return online > 0 && leftMib <= online * memoryMib;
}

function lacksVcpus(cluster: Cluster, { vcpus }: Instance): boolean {
  const { vcpuRatio, cpuTotal, offline } = cluster.facts;
  let used = 0;
  let bearable = 0;
  for (let node = 0; node < cluster.nodeCount; node++) {
    const ofNode = cluster.data.nodes[node]?.cpuNode ?? 0;
    const onNode = cluster.get(node, field.vcpusUsed);
    if (offline[node] === 1) {
      used += onNode - ofNode;
      continue;
    }
    const ratio = vcpuRatio[node] as number;
    // A negative ratio means no limit.
    if (ratio < 0) return false;
    used += onNode + vcpus;
    bearable += ratio * (cpuTotal[node] as number);
  }
  // Cases that rounding might decide are left to the trial.
  return bearable > 0 && used > bearable * (1 + 1e-9);
}
