/** Input and result of examining the candidates for one instance. */
import type { CandidateField, LostAllocations, Score } from "@ganeti-ts/protocol";
import type { Search } from "../allocate/allocation.js";
import type { Newcomer } from "../n1/evacuees.js";

/** The search for a place, with what is needed to list and test every candidate. */
export interface Examination extends Search {
  /** The instance as the N+1 test lists it. */
  readonly newcomer: Newcomer;
  /** Maximum number of candidates of each kind that are listed. */
  readonly listMax: number;
}

/** The measure by which candidates are compared. */
export type Measured =
  | { readonly score: Score; readonly lostAllocations?: never }
  | { readonly lostAllocations: LostAllocations; readonly score?: never };

/** A feasible candidate with its measure. */
export interface Contender {
  readonly primary: number;
  /** -1 for none. */
  readonly secondary: number;
  readonly measured: Measured;
}

/** The table of candidates to show, and the data the choice is explained from. */
export interface Examined {
  readonly field: CandidateField;
  /** Feasible candidates, best first, as many as are listed. */
  readonly contenders: readonly Contender[];
  /** Number of candidates with exactly the measure of the first. */
  readonly tied: number;
}
