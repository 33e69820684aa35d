/** An instance as the configuration holds it: real, or reserved for later. */
import * as z from "zod";
import { hypervisors } from "../iallocator/hypervisor.js";
import { JobId } from "../jobs/job-id.js";
import { Parameters, stamps, Tags } from "./common.js";
import { DiskUuid, InstanceUuid, NodeUuid } from "./ids.js";
import { ForthcomingNic, NicObject } from "./nic-object.js";
import { PartialBeparams } from "./parameters.js";

export const adminStates = ["up", "down", "offline"] as const;
export type AdminState = (typeof adminStates)[number];

const fields = {
  name: z.string(),
  primary_node: NodeUuid,
  /** `os` or `os+variant`; empty for none. */
  os: z.string(),
  hypervisor: z.enum(hypervisors),
  /** What differs from the cluster's; so are the three that follow. */
  hvparams: Parameters,
  beparams: PartialBeparams,
  osparams: Parameters,
  osparams_private: Parameters,
  admin_state: z.enum(adminStates),
  admin_state_source: z.enum(["admin", "user"]),
  disks_active: z.boolean(),
};

const common = {
  uuid: InstanceUuid,
  /** UUIDs of its disks, in their order. */
  disks: z.array(DiskUuid).readonly(),
  network_port: z.int().optional(),
  ...stamps,
  tags: Tags,
};

export const RealInstance = z
  .strictObject({
    ...common,
    ...fields,
    forthcoming: z.literal(false).optional(),
    nics: z.array(NicObject).readonly(),
  })
  .readonly();
export type RealInstance = z.infer<typeof RealInstance>;

/**
 * What it specifies is held for it. With `held_by` it is what a running creation has taken so far:
 * not shown, and dropped when that job ends otherwise than by making it real.
 */
export const ForthcomingInstance = z
  .strictObject({
    ...common,
    ...z.strictObject(fields).partial().shape,
    forthcoming: z.literal(true),
    nics: z.array(ForthcomingNic).readonly(),
    held_by: JobId.optional(),
  })
  .readonly();
export type ForthcomingInstance = z.infer<typeof ForthcomingInstance>;

export type InstanceObject = RealInstance | ForthcomingInstance;

/** Looks at `forthcoming` first, so that faults are those of the form that is meant. */
export const InstanceObject = z.discriminatedUnion("forthcoming", [
  RealInstance,
  ForthcomingInstance,
]);
