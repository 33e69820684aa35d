/** Nodes and instances in documents of `--json`. Memory and disk in MiB. */
import * as z from "zod";
import { diskTemplates, instanceStatuses } from "../cluster-data.js";
import { Figure } from "../explanation/refusal.js";

/** Measured loads, or 1 for each instance. */
const loads = z.strictObject({ cpu: Figure, memory: Figure, disk: Figure, network: Figure });

/** A node in the reports of programs. */
export const NodeReport = z.strictObject({
  name: z.string(),
  group: z.string(),
  /** Offline, drained or not vm-capable. */
  offline: z.boolean(),
  /** Lacks the memory reserved for the failure of another node. */
  failsN1: z.boolean(),
  memory: z.strictObject({
    total: Figure,
    /** Memory of the node's own system. */
    node: z.number(),
    instances: z.number(),
    /** Memory not accounted for; may be negative. */
    missing: z.number(),
    /** As reported. */
    free: z.number(),
    /** Free memory used for decisions. */
    unallocated: z.number(),
    /** Reserved for the failure of another node. */
    reserved: z.number(),
  }),
  disk: z.strictObject({ total: Figure, free: z.number() }),
  cpu: z.strictObject({
    total: Figure,
    /** Including those of the node's own system. */
    vcpusUsed: z.number(),
    /** Maximum ratio of virtual to physical CPUs. */
    vcpuRatioMax: Figure,
  }),
  spindles: z.strictObject({ total: z.number(), free: z.number(), used: Figure, max: Figure }),
  loads,
  /** Names, without forthcoming instances. */
  primaries: z.array(z.string()),
  secondaries: z.array(z.string()),
});
export type NodeReport = z.infer<typeof NodeReport>;

/** An instance in the reports of programs. */
export const InstanceReport = z.strictObject({
  name: z.string(),
  primary: z.string(),
  /** Null: none. */
  secondary: z.string().nullable(),
  status: z.enum(instanceStatuses),
  /** A reservation, which does not run yet. */
  forthcoming: z.boolean(),
  autoBalance: z.boolean(),
  diskTemplate: z.enum(diskTemplates),
  memory: z.number(),
  disk: z.number(),
  vcpus: z.number(),
  loads,
});
export type InstanceReport = z.infer<typeof InstanceReport>;
