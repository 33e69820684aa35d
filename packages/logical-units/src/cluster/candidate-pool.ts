/** Master candidates: how many there are to be, and who becomes one. */
import type { Snapshot } from "@ganeti-ts/config";
import type { NodeObject, NodeUuid, Random } from "@ganeti-ts/protocol";

export interface CandidateCounts {
  readonly actual: number;
  /** As many as the pool has places, or nodes that can be candidates. */
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

/** Whether there is a place for one more, which makes one more possible. */
export function hasPlaceForOneMore(now: Snapshot, except?: ReadonlySet<NodeUuid>): boolean {
  const { actual, wanted } = candidateCounts(now, except);
  return actual < Math.min(wanted + 1, now.cluster.candidate_pool_size);
}

/** Nodes that become candidates so that the pool is full, drawn by lot; as they are then. */
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
