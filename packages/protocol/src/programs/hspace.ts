/** What `hspace --json` prints. Memory and disk in MiB. */
import * as z from "zod";
import { diskTemplates } from "../cluster-data.js";
import { Figure, refusalRules } from "../explanation/refusal.js";

/** Why an instance finds no place, in the order in which equally frequent reasons are listed. */
const reasons = [...refusalRules, "FailInternal"] as const;

/** A size of instances; it has one disk. */
export const HspaceSpec = z.strictObject({
  memoryMib: z.number(),
  diskMib: z.number(),
  vcpus: z.number(),
  spindles: z.number(),
});
export type HspaceSpec = z.infer<typeof HspaceSpec>;

/** Sums over all nodes, offline ones too. */
export const HspaceStatistics = z.strictObject({
  score: Figure,
  /** Primaries; reservations are not counted. */
  instances: z.number(),
  memoryTotal: Figure,
  memoryFree: z.number(),
  /** Free beyond what is kept for the failure of another node. */
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
  /** The most on any one node. */
  memoryAvailableMost: z.number(),
  diskAvailableMost: z.number(),
});
export type HspaceStatistics = z.infer<typeof HspaceStatistics>;

export const HspaceRun = z.strictObject({
  /** The size it began with. */
  spec: HspaceSpec,
  /** How many of each size, in the order of placement. */
  tiers: z.array(z.strictObject({ spec: HspaceSpec, count: z.number() })),
  /** In the order of placement: name, and one node or primary and secondary. */
  instances: z.array(
    z.strictObject({
      name: z.string(),
      spec: HspaceSpec,
      nodes: z.array(z.string()).min(1).max(2),
    }),
  ),
  /** Why the last attempt failed, most frequent first; empty if nothing was tried. */
  failures: z.array(z.strictObject({ reason: z.enum(reasons), count: z.number() })),
  after: HspaceStatistics,
});
export type HspaceRun = z.infer<typeof HspaceRun>;

export const HspaceReport = z.strictObject({
  diskTemplate: z.enum(diskTemplates),
  /** Nodes that an instance needs. */
  requiredNodes: z.literal([1, 2]),
  nodes: z.number(),
  /** Planned instances: they hold their resources already. */
  reservations: z.number(),
  /** Nothing is placed, since these online nodes break N+1. */
  blocked: z.boolean(),
  badNodes: z.array(z.string()),
  before: HspaceStatistics,
  /** Sizes shrink as room gets scarce. */
  tiered: HspaceRun,
  /** All instances are of one size. */
  standard: HspaceRun,
});
export type HspaceReport = z.infer<typeof HspaceReport>;
