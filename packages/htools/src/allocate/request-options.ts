/** Options of a request, and the outcome of answering it. */
import type { Cluster } from "../model/cluster.js";

/** Options for answering a request. */
export interface RequestOptions {
  /** Lets the primary of an allocation and moves break soft limits (policy ratios, N+1, tags). */
  readonly ignoreSoftErrors: boolean;
  /** Refuses placements after which some node could not be emptied. */
  readonly capacityChecks: boolean;
  /** Full names of the only nodes to allocate on; overrides the request's own list. */
  readonly restrictTo?: readonly string[] | undefined;
  /**
   * Lists a newly allocated instance on its nodes under the index -1, as the tables of Ganeti's hail show it. The cluster
   * of the answer is then for tables only: it takes no further request.
   */
  readonly newcomerUnnumbered?: boolean;
}

/** As `hail` answers without options: soft limits count, and every node must stay one that could be emptied. */
export const requestDefaults: RequestOptions = { ignoreSoftErrors: false, capacityChecks: true };

/** A request that succeeded: text and result of its answer, and the cluster as it would be. */
export interface Done {
  readonly info: string;
  readonly result: unknown;
  readonly after: Cluster;
}

/** A value, or the reason for a failure in Ganeti's words. */
export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string };

export const success = <T>(value: T): Result<T> => ({ ok: true, value });
export const failure = (reason: string): Result<never> => ({ ok: false, reason });
