/**
 * Margins of emptying each node: the least memory and disk that its failure leaves on the secondaries of its
 * primaries. They are kept with the nodes, so that a request compares two numbers per node.
 */

/** By node. Memory and disk in MiB. */
export interface EmptyingMargins {
  /** 1 for nodes on which margins decide: all their primaries, if any, are mirrored, and nothing else matters. */
  readonly decide: Uint8Array;
  readonly memoryLeft: Float64Array;
  readonly diskLeft: Float64Array;
}
