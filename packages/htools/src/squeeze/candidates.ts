/** Nodes that may be switched off or on. Source: Ganeti, HTools/Program/Hsqueeze.hs. */
import type { Cluster } from "../model/cluster.js";
import { usesLocalStorage } from "../model/disk-template.js";
import { lengthOf, toArray } from "../model/index-list.js";

/** Tags with this prefix allow an offline node to be put online again. */
const standbyPrefix = "htools:standby:";
/** Tag of nodes that were switched off. */
export const standbyTag = `${standbyPrefix}auto`;

/**
 * Online nodes, without the master, whose instances can all run elsewhere without copying a disk. Most
 * primaries first; among equals by index.
 */
export function offlineCandidates(cluster: Cluster): number[] {
  const { data, facts, primaries, secondaries, instances } = cluster;
  const isLocal = (index: number) =>
    usesLocalStorage((instances[index] as (typeof instances)[number]).data.diskTemplate);
  return data.nodes
    .flatMap(({ master }, node) => {
      const busy = master || facts.offline[node] === 1 || lengthOf(secondaries[node]) > 0;
      return busy || toArray(primaries[node]).some(isLocal) ? [] : [node];
    })
    .sort((a, b) => lengthOf(primaries[b]) - lengthOf(primaries[a]));
}

/** Offline nodes with a standby tag, by index. */
export const onlineCandidates = ({ data, facts }: Cluster): number[] =>
  data.nodes.flatMap(({ tags }, node) =>
    facts.offline[node] === 1 && tags.some((tag) => tag.startsWith(standbyPrefix)) ? [node] : [],
  );
