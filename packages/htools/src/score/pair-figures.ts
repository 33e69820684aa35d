/** Figures of candidate nodes from which the best pair for a mirrored instance is found. */
import type { RoleEffects } from "./role-effects.js";

/**
 * A secondary that already reserves memory for this primary, and would reserve more for it than for others.
 */
export interface PeerReservation {
  /** Place of the primary. */
  readonly place: number;
  readonly feasible: boolean;
  /** Shift of the component of reserved memory, replacing the usual one. */
  readonly shift: number;
  readonly square: number;
  readonly reservedShift: number;
  readonly n1Shift: number;
}

/** Effects of one instance on every candidate, by place (see `ScoreColumns`). */
export interface PairFigures {
  readonly asPrimary: RoleEffects;
  readonly asSecondary: RoleEffects;
  /** Candidate places by group; the two nodes of a pair are of one group. */
  readonly groups: readonly (readonly number[])[];
  /** Whether `sharingOf` lists any. */
  hasSharing(secondary: number): boolean;
  isSharing(primary: number, secondary: number): boolean;
  /**
   * The primaries for which a secondary already reserves memory; those that are not wanted may be left out.
   * @param isWanted is given the place of the primary (-1 without one), and by how much the share of memory that the
   * secondary reserves exceeds that with an unrelated primary
   */
  sharingOf(
    secondary: number,
    isWanted: (primary: number, rise: number) => boolean,
  ): readonly PeerReservation[];
}
