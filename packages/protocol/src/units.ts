/** Quantities on the wire. Names of keys carry no units there, so these say them. */
import * as z from "zod";

/**
 * A whole number. Ganeti writes whole ones and takes any: a fraction is rounded, halves to even,
 * by whoever reads it (`decodeMessage` does).
 */
export const Count = z.number();
export type Count = z.infer<typeof Count>;

/** Memory or disk space in MiB, a whole number like `Count`. */
export const SizeMib = z.number();
export type SizeMib = z.infer<typeof SizeMib>;

/** A size in MiB or a number of processors that is read with its fraction. */
export const Measure = z.number();
export type Measure = z.infer<typeof Measure>;

/** How many virtual ones share a physical one; dimensionless. */
export const Ratio = z.number();
export type Ratio = z.infer<typeof Ratio>;
