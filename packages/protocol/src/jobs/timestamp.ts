/** Timestamps of jobs: `[seconds, microseconds]` since the epoch. */
import * as z from "zod";

/** Schema of moments: seconds and microseconds since the epoch. */
export const Timestamp = z.tuple([z.int(), z.int().min(0).max(999_999)]).readonly();
export type Timestamp = z.infer<typeof Timestamp>;

/** From integer microseconds since the epoch, which a number represents exactly until the year 2255. */
export const timestampOf = (micros: number): Timestamp => {
  const seconds = Math.floor(micros / 1e6);
  return [seconds, micros - seconds * 1e6];
};

/** Integer microseconds since the epoch. */
export const microsOf = ([seconds, micros]: Timestamp): number => seconds * 1e6 + micros;
