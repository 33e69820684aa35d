/** Log of a takeover: facts for programs, and a sentence for people. */
export interface TakeoverLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}
