/** Why something is done: who asked, in words, and when. Only ever appended to. */
import * as z from "zod";

/** Nanoseconds since the epoch: beyond 2^53, so a bigint; a number on input is taken as whole. */
const Nanoseconds = z.union([z.bigint(), z.int().transform((value) => BigInt(value))]);

/** `[source, reason, nanoseconds]`; sources that start with `gnt:` are the system's own. */
export const ReasonEntry = z.tuple([z.string(), z.string(), Nanoseconds]).readonly();
export type ReasonEntry = z.infer<typeof ReasonEntry>;

export const ReasonTrail = z.array(ReasonEntry).readonly();
export type ReasonTrail = z.infer<typeof ReasonTrail>;

/** Outside interfaces refuse sources with this prefix. */
export const reservedSource = "gnt:";

/** The moment of a reason entry, from whole microseconds. */
export const nanosecondsOf = (micros: number): bigint => BigInt(micros) * 1000n;
