/** Definition of a method: its parameters in their order, and its result. */
import type * as z from "zod";

/** Schemas of the positional arguments, by names of ours, in the order of the wire. */
export type Parameters = Readonly<Record<string, z.ZodType>>;

/** One call of the protocol. */
export interface Method<P extends Parameters = Parameters, R extends z.ZodType = z.ZodType> {
  readonly parameters: P;
  readonly result: R;
  /** Number of the parameters that must be given; by default all. */
  readonly required?: number;
  /** Ganeti's text for a wrong number of arguments. */
  readonly arityFault?: string;
  /** Parameters whose own value error texts quote, instead of all arguments. */
  readonly quotedAlone?: readonly string[];
  /** Parameters of opcodes: faults inside them begin with the name of the method. */
  readonly submits?: boolean;
  /** Ganeti tries a second reading of the arguments, and words both failures. */
  readonly alternative?: string;
}

/** Keeps the types of `definition` as narrow as they are written. */
export const method = <const P extends Parameters, R extends z.ZodType>(
  definition: Method<P, R>,
): Method<P, R> => definition;
