/** A word that a shell may put where the cursor is. */
export interface Candidate {
  readonly text: string;
  /** A few words about it. */
  readonly about?: string;
}
