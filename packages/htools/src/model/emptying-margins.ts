/**
 * Margins of emptying each node: the least memory and disk that its failure leaves on the secondaries of its
 * primaries, and the needs of its other primaries. They are kept with the nodes, so that a request compares a few
 * numbers per node.
 */

/** By node. Memory and disk in MiB. */
export interface EmptyingMargins {
  /**
   * | value | meaning |
   * |---|---|
   * | 0 | something else matters: counting decides |
   * | 1 | all primaries, if any, are mirrored: margins decide |
   * | 2 | other primaries, which each node of the group accepts: margins can prove that the node can be emptied |
   */
  readonly decide: Uint8Array;
  readonly memoryLeft: Float64Array;
  readonly diskLeft: Float64Array;
  /** Primaries that are not mirrored: their number, and the most that one of them needs. */
  readonly otherCount: Float64Array;
  readonly otherMemory: Float64Array;
  readonly otherDisk: Float64Array;
  /** Most memory that mirrored primaries take of one node. */
  readonly memoryToOne: Float64Array;
  /** By group: room of its nodes, computed when first used, while the cluster is settled. */
  readonly rooms: Map<number, RoomByRank>;
}

/** Columns of their own; those of a kept cluster change in place. */
export const copiedMargins = (margins: EmptyingMargins): EmptyingMargins => ({
  decide: margins.decide.slice(),
  memoryLeft: margins.memoryLeft.slice(),
  diskLeft: margins.diskLeft.slice(),
  otherCount: margins.otherCount.slice(),
  otherMemory: margins.otherMemory.slice(),
  otherDisk: margins.otherDisk.slice(),
  memoryToOne: margins.memoryToOne.slice(),
  rooms: new Map(margins.rooms),
});

/** By position among the nodes of a group, the one with the most memory first: the least that any node up to there has. */
export interface RoomByRank {
  readonly memoryMib: Float64Array;
  readonly diskMib: Float64Array;
}
