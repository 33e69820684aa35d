/** Instance object of the configuration: real, or forthcoming. */
import * as z from "zod";
import { diskTemplates } from "../cluster-data.js";
import { hypervisors } from "../iallocator/hypervisor.js";
import { Parameters, stamps, Tags } from "./common.js";
import { DiskUuid, InstanceUuid, NodeUuid } from "./ids.js";
import { ForthcomingNic, NicObject } from "./nic-object.js";
import { PartialBeparams } from "./parameters.js";

/** States that an administrator can want for an instance. */
export const adminStates = ["up", "down", "offline"] as const;
/** State that an administrator wants for an instance: one of `adminStates`. */
export type AdminState = (typeof adminStates)[number];

const fields = {
  name: z.string(),
  primary_node: NodeUuid,
  /** `os` or `os+variant`; empty for none. */
  os: z.string(),
  hypervisor: z.enum(hypervisors),
  /** Deviations from the cluster's parameters, as in the three keys that follow. */
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
  /** UUIDs of its disks, in order. */
  disks: z.array(DiskUuid).readonly(),
  network_port: z.int().optional(),
  ...stamps,
  tags: Tags,
};

/** Schema of an instance that is not only reserved. */
export const RealInstance = z
  .strictObject({
    ...common,
    ...fields,
    forthcoming: z.literal(false).optional(),
    nics: z.array(NicObject).readonly(),
  })
  .readonly();
export type RealInstance = z.infer<typeof RealInstance>;

/** A forthcoming instance, which holds the resources it specifies. */
export const ForthcomingInstance = z
  .strictObject({
    ...common,
    ...z.strictObject(fields).partial().shape,
    forthcoming: z.literal(true),
    nics: z.array(ForthcomingNic).readonly(),
    /** Template of the disks to come; disks that exist have types of their own. */
    disk_template: z.enum(diskTemplates).optional(),
  })
  .readonly();
export type ForthcomingInstance = z.infer<typeof ForthcomingInstance>;

export type InstanceObject = RealInstance | ForthcomingInstance;

/** Checks `forthcoming` first, so that faults refer to the intended form. */
export const InstanceObject = z.discriminatedUnion("forthcoming", [
  RealInstance,
  ForthcomingInstance,
]);
