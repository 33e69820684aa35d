/** ClaimView: claims of jobs in readable form, with their nodes and the states of their jobs. */
import { jobStatuses, type QueueReader } from "@ganeti-ts/cluster-queries";
import { devicesOfClaim, instanceOfClaim, nodesOfClaim, type Snapshot } from "@ganeti-ts/config";
import type { ClaimKind, JobId, JobStatus } from "@ganeti-ts/protocol";

/** A claim with the names of the objects that it concerns. */
export interface ClaimView {
  readonly uuid: string;
  readonly kind: ClaimKind;
  readonly job: JobId;
  /** Null for a job that is no longer known. A claim of a job that has ended is a leftover that recovery removes. */
  readonly jobStatus: JobStatus | null;
  /** Seconds since the epoch. */
  readonly since: number | null;
  readonly nodes: readonly string[];
  readonly instance: string | null;
  readonly deviceCount: number;
}

/** All claims, ordered by job. O(claims). */
export async function claimViews(
  now: Snapshot,
  queue: Pick<QueueReader, "query">,
): Promise<readonly ClaimView[]> {
  const claims = [...now.claims()].sort((a, b) => a.job - b.job);
  const statuses = await jobStatuses(
    queue,
    claims.map(({ job }) => job),
  );
  return claims.map((claim) => ({
    ...{ uuid: claim.uuid, kind: claim.kind, job: claim.job },
    jobStatus: statuses.get(claim.job) ?? null,
    since: claim.ctime ?? null,
    nodes: nodesOfClaim(claim).map((uuid) => now.node(uuid)?.name ?? uuid),
    instance: instanceOfClaim(now, claim) ?? null,
    deviceCount: devicesOfClaim(claim).length,
  }));
}
