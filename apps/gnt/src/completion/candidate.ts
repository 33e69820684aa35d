/** Candidate word for the shell at the cursor. */
export interface Candidate {
  readonly text: string;
  /** Short description. */
  readonly about?: string;
}
