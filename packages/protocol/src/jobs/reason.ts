/** Reason trail: sources, reasons and times of a request. It is only ever appended to. */
import * as z from "zod";

/** Nanoseconds since the epoch, beyond 2^53 and so a bigint; numbers are accepted on input. */
const Nanoseconds = z.union([z.bigint(), z.int().transform((value) => BigInt(value))]);

/** `[source, reason, nanoseconds]`; sources that start with `gnt:` are the system's own. */
export const ReasonEntry = z.tuple([z.string(), z.string(), Nanoseconds]).readonly();
export type ReasonEntry = z.infer<typeof ReasonEntry>;

/** Schema of reason trails, oldest entry first. */
export const ReasonTrail = z.array(ReasonEntry).readonly();
export type ReasonTrail = z.infer<typeof ReasonTrail>;

/** The time of a reason entry, from integer microseconds. */
export const nanosecondsOf = (micros: number): bigint => BigInt(micros) * 1000n;
