/** Log of a takeover: structured facts, and a sentence. */
export interface TakeoverLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}
