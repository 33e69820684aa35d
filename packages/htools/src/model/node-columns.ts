/** Columns of the nodes of a cluster: `field` for the state that placing changes, and fixed facts. */

/**
 * Columns of a node's row. If there are two columns of a kind, the second ("Planned") also counts forthcoming
 * instances, the first only real ones. Memory and disk in MiB.
 */
export const field = {
  /** Free memory used for decisions: total less the node itself, running primaries and missing memory. */
  memoryUnallocated: 0,
  /** Reported free memory less everything that would run: stopped and forthcoming primaries. */
  memoryFreePlanned: 1,
  diskFree: 2,
  diskFreePlanned: 3,
  /** Meaningful only with exclusive storage. */
  spindlesFree: 4,
  spindlesFreePlanned: 5,
  vcpusUsed: 6,
  vcpusUsedPlanned: 7,
  spindlesUsed: 8,
  spindlesUsedPlanned: 9,
  loadCpu: 10,
  loadMemory: 11,
  loadDisk: 12,
  loadNetwork: 13,
  /** Memory needed here if the worst single other node fails. */
  memoryReserved: 14,
  /** 1 if that memory is not available, else 0. */
  failsN1: 15,
  /** Location tags its primaries share with their secondaries, and desired locations they lack. */
  locationScore: 16,
  /** Exclusion tags of its primaries, not counting the first of each kind. */
  tagScore: 17,
} as const;

export const rowLength = 18;

/**
 * Properties of the nodes that placing does not change, by node index. Copies of a cluster share them, so
 * `changeNodes` must run before the first copy.
 */
export interface NodeFacts {
  readonly groupOf: Int32Array;
  readonly offline: Uint8Array;
  readonly exclusiveStorage: Uint8Array;
  readonly memoryTotal: Float64Array;
  /** Memory of the node's own system. */
  readonly memoryNode: Float64Array;
  /** Total less node, instances and reported free; may be negative. */
  readonly memoryMissing: Float64Array;
  /** Total less what its instances hold and reported free; may be negative. */
  readonly diskMissing: Float64Array;
  /** Unallocated memory if no instance ran: total less node less missing (if positive). */
  readonly memoryUsable: Float64Array;
  readonly diskTotal: Float64Array;
  /** A placement that leaves less free disk than this breaks a soft limit; default 0. */
  readonly diskLow: Float64Array;
  readonly cpuTotal: Float64Array;
  readonly cpuSpeed: Float64Array;
  readonly spindleTotal: Float64Array;
  /** Spindle ratio of the group's policy times the node's spindles. */
  readonly spindlesMax: Float64Array;
  readonly vcpuRatio: Float64Array;
  readonly locations: readonly (readonly string[])[];
  readonly migrationTags: readonly (readonly string[])[];
  readonly receivableTags: readonly (readonly string[])[];
}

/** Independent columns with the same values. */
export const copiedFacts = (facts: NodeFacts): NodeFacts =>
  Object.fromEntries(
    Object.entries(facts).map(([key, column]) => [key, column.slice()]),
  ) as unknown as NodeFacts;
