/** A node and an instance as programs report them with `--json`. Memory and disk in MiB. */
import * as z from "zod";
import { diskTemplates, instanceStatuses } from "../cluster-data.js";
import { Figure } from "../explanation/refusal.js";

/** Measured loads, or 1 for each instance. */
const loads = z.strictObject({ cpu: Figure, memory: Figure, disk: Figure, network: Figure });

export const NodeReport = z.strictObject({
  name: z.string(),
  group: z.string(),
  /** Offline, drained or not vm-capable. */
  offline: z.boolean(),
  /** The memory kept for the failure of another node is not there. */
  failsN1: z.boolean(),
  memory: z.strictObject({
    total: Figure,
    /** Of the node's own system. */
    node: z.number(),
    instances: z.number(),
    /** What nobody accounts for; may be negative. */
    missing: z.number(),
    /** As reported. */
    free: z.number(),
    /** What decisions go by. */
    unallocated: z.number(),
    /** Kept for the failure of another node. */
    reserved: z.number(),
  }),
  disk: z.strictObject({ total: Figure, free: z.number() }),
  cpu: z.strictObject({
    total: Figure,
    /** The node system's own included. */
    vcpusUsed: z.number(),
    /** How many virtual CPUs may share a physical one. */
    vcpuRatioMax: Figure,
  }),
  spindles: z.strictObject({ total: z.number(), free: z.number(), used: Figure, max: Figure }),
  loads,
  /** Names; no reservations. */
  primaries: z.array(z.string()),
  secondaries: z.array(z.string()),
});
export type NodeReport = z.infer<typeof NodeReport>;

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
