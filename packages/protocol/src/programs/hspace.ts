/** Document of `hspace --json`. Memory and disk in MiB. */
import * as z from "zod";
import { diskTemplates } from "../cluster-data.js";
import { Figure, refusalRules } from "../explanation/refusal.js";

/** Reasons why an instance cannot be placed, in the order in which equally frequent ones are listed. */
const reasons = [...refusalRules, "FailInternal"] as const;

/** A size of instances; it has one disk. */
export const HspaceSpec = z.strictObject({
  memoryMib: z.number(),
  diskMib: z.number(),
  vcpus: z.number(),
  spindles: z.number(),
});
export type HspaceSpec = z.infer<typeof HspaceSpec>;

/** Sums over all nodes, including offline ones. */
export const HspaceStatistics = z.strictObject({
  score: Figure,
  /** Number of primaries, without forthcoming instances. */
  instances: z.number(),
  memoryTotal: Figure,
  memoryFree: z.number(),
  /** Free memory without that reserved for the failure of another node. */
  memoryAvailable: z.number(),
  memoryInstances: z.number(),
  memoryOverhead: z.number(),
  diskTotal: Figure,
  diskFree: z.number(),
  diskAvailable: z.number(),
  diskInstances: z.number(),
  spindlesTotal: z.number(),
  spindlesFree: z.number(),
  spindlesUsed: z.number(),
  cpus: Figure,
  vcpus: Figure,
  vcpusUsed: z.number(),
  cpusUsed: Figure,
  /** The maximum on any one node. */
  memoryAvailableMost: z.number(),
  diskAvailableMost: z.number(),
});
export type HspaceStatistics = z.infer<typeof HspaceStatistics>;

/** One of the two runs of an `HspaceReport`: tiered, or with the standard size. */
export const HspaceRun = z.strictObject({
  /** The initial size. */
  spec: HspaceSpec,
  /** Number of instances of each size, in the order of placement. */
  tiers: z.array(z.strictObject({ spec: HspaceSpec, count: z.number() })),
  /** In the order of placement: name, and one node or primary and secondary. */
  instances: z.array(
    z.strictObject({
      name: z.string(),
      spec: HspaceSpec,
      nodes: z.array(z.string()).min(1).max(2),
    }),
  ),
  /** Reasons why the last attempt failed, most frequent first; empty if nothing was tried. */
  failures: z.array(z.strictObject({ reason: z.enum(reasons), count: z.number() })),
  after: HspaceStatistics,
});
export type HspaceRun = z.infer<typeof HspaceRun>;

/** Output of `hspace --json`. */
export const HspaceReport = z.strictObject({
  diskTemplate: z.enum(diskTemplates),
  /** Number of nodes that an instance needs. */
  requiredNodes: z.literal([1, 2]),
  nodes: z.number(),
  /** Forthcoming instances, which already hold their resources. */
  reservations: z.number(),
  /** Whether nothing is placed because these online nodes fail N+1. */
  blocked: z.boolean(),
  badNodes: z.array(z.string()),
  before: HspaceStatistics,
  /** Run in which sizes shrink as resources run out. */
  tiered: HspaceRun,
  /** Run in which all instances have one size. */
  standard: HspaceRun,
});
export type HspaceReport = z.infer<typeof HspaceReport>;
