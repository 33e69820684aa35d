/** Quantities on the wire. Names of keys there carry no units, so these types document them. */
import * as z from "zod";

/**
 * An integer. Ganeti writes integers but accepts any number: the reader rounds fractions, halves to even
 * (`decodeMessage` does).
 */
export const Count = z.number();
export type Count = z.infer<typeof Count>;

/** Memory or disk space in MiB, an integer like `Count`. */
export const SizeMib = z.number();
export type SizeMib = z.infer<typeof SizeMib>;

/** A size in MiB or a number of processors whose fraction is kept. */
export const Measure = z.number();
export type Measure = z.infer<typeof Measure>;

/** Ratio of virtual to physical units; dimensionless. */
export const Ratio = z.number();
export type Ratio = z.infer<typeof Ratio>;
