/** What is looked at for one instance, and what that gives: the field to show and what the choice needs. */
import type { CandidateField, LostAllocations, Score } from "@ganeti-ts/protocol";
import type { Search } from "../allocate/allocation.js";
import type { Newcomer } from "../n1/residents.js";

export interface Looking extends Search {
  /** As the N+1 test knows the instance. */
  readonly newcomer: Newcomer;
  /** So many candidates of each kind are listed. */
  readonly listMax: number;
}

/** What a candidate is compared by. */
export type Measured =
  | { readonly score: Score; readonly lostAllocations?: never }
  | { readonly lostAllocations: LostAllocations; readonly score?: never };

export interface Contender {
  readonly primary: number;
  /** -1 for none. */
  readonly secondary: number;
  readonly measured: Measured;
}

export interface Looked {
  readonly field: CandidateField;
  /** Feasible candidates, best first; as many as are listed. */
  readonly contenders: readonly Contender[];
  /** How many of all have exactly the measure of the first. */
  readonly tied: number;
}
