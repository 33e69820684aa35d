/** Pool of master candidates: its wanted size, and the nodes promoted to fill it. */
import type { Snapshot } from "@ganeti-ts/config";
import type { NodeObject, NodeUuid, Random } from "@ganeti-ts/protocol";

export interface CandidateCounts {
  readonly actual: number;
  /** The size of the pool, or the number of possible candidates if that is lower. */
  readonly wanted: number;
}

/** Without the nodes of `except`. */
export function candidateCounts(
  now: Snapshot,
  except: ReadonlySet<NodeUuid> = new Set(),
): CandidateCounts {
  let actual = 0;
  let possible = 0;
  for (const node of now.nodes()) {
    if (except.has(node.uuid)) continue;
    if (mayBeCandidate(node)) possible++;
    if (node.master_candidate) actual++;
  }
  return { actual, wanted: Math.min(possible, now.cluster.candidate_pool_size) };
}

const mayBeCandidate = (node: NodeObject): boolean =>
  !node.offline && !node.drained && node.master_capable;

/** Whether the pool has a free place for one more possible candidate. */
export function hasPlaceForOneMore(now: Snapshot, except?: ReadonlySet<NodeUuid>): boolean {
  const { actual, wanted } = candidateCounts(now, except);
  return actual < Math.min(wanted + 1, now.cluster.candidate_pool_size);
}

/** Nodes promoted to fill the pool, drawn at random, in their new state. */
export function promotions(
  now: Snapshot,
  except: ReadonlySet<NodeUuid>,
  random: Random,
): readonly NodeObject[] {
  const { actual, wanted } = candidateCounts(now, except);
  const eligible = Array.from(now.nodes()).filter(
    (node) => mayBeCandidate(node) && !node.master_candidate && !except.has(node.uuid),
  );
  const promoted: NodeObject[] = [];
  while (actual + promoted.length < wanted && eligible.length > 0) {
    const [node] = eligible.splice(Math.floor(random.fraction() * eligible.length), 1);
    if (node !== undefined) promoted.push({ ...node, master_candidate: true });
  }
  return promoted;
}
