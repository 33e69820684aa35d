/** Claim: resources of nodes that a job holds until its effect is in the configuration. */
import * as z from "zod";
import { hypervisors } from "../iallocator/hypervisor.js";
import { JobId } from "../jobs/job-id.js";
import { stamps } from "./common.js";
import { ForthcomingDisk } from "./disk-object.js";
import { ClaimUuid, DiskUuid, InstanceUuid, NodeUuid } from "./ids.js";
import { ForthcomingInstance } from "./instance-object.js";
import { ForthcomingNic } from "./nic-object.js";

const amount = z.number().nonnegative();

const space = {
  node: NodeUuid,
  memoryMib: amount,
  vcpus: amount,
  /** In the sense of the group's spindle ratio. */
  spindleUse: amount,
  /** MiB by volume group; the empty name stands for disks in files. */
  diskMib: z.record(z.string(), amount).readonly(),
  /** Spindles of disks, where storage is exclusive. */
  diskSpindles: amount,
};

/** Capacity of one node, without devices. */
export const ClaimedSpace = z.strictObject(space).readonly();
export type ClaimedSpace = z.infer<typeof ClaimedSpace>;

/** Devices that exist or are about to, with their UUIDs; the configuration has no disks of these UUIDs. */
const disks = z.array(ForthcomingDisk).readonly();

/** A claimed device; the two keys occur where it is only there to be removed. */
export const ClaimedDisk = ForthcomingDisk.unwrap()
  .extend({
    /** The disk of which it is an old copy, kept until the new copy is complete. */
    copyOf: DiskUuid.optional(),
    /** The disk whose file it is: moved to the path of that disk, and not removed. */
    fileOf: DiskUuid.optional(),
  })
  .readonly();
export type ClaimedDisk = z.infer<typeof ClaimedDisk>;

/** Names, numbers and addresses that no other object may get meanwhile. */
const names = {
  name: z.string().optional(),
  network_port: z.int().optional(),
  nics: z.array(ForthcomingNic).readonly(),
};

/** Whether nodes may count the claimed resources already, because their use may have begun. */
const isBegun = z.boolean();

const kindOf = <const Kind extends string, Shape extends z.ZodRawShape>(kind: Kind, shape: Shape) =>
  z
    .strictObject({ kind: z.literal(kind), uuid: ClaimUuid, job: JobId, ...stamps, ...shape })
    .readonly();

/**
 * | kind | holder |
 * |---|---|
 * | `creation` | a new instance until its disks are made; both have the same UUID |
 * | `commit` | a reservation that becomes real: resources of its other form, the final or the former one |
 * | `space` | capacity of a node, and devices that are made there |
 * | `removal` | devices on a node that are only there to be removed, or an instance that may still run there |
 * | `export` | the folder of an export under way on a node |
 * | `recreation` | disks of an instance that are made again |
 */
export const Claim = z.discriminatedUnion("kind", [
  kindOf("creation", { instance: ForthcomingInstance, disks }),
  kindOf("commit", {
    reservation: InstanceUuid,
    /** The reservation as it was, once it has become an instance. */
    former: z.strictObject({ instance: ForthcomingInstance, disks }).readonly().optional(),
    names: z.strictObject({ ...names, disks }).readonly(),
    spaces: z.array(ClaimedSpace).readonly(),
    isBegun,
  }),
  kindOf("space", { ...space, disks, isBegun }),
  kindOf("removal", {
    node: NodeUuid,
    disks: z.array(ClaimedDisk).readonly(),
    /** Instance that could not be stopped before it was removed or started elsewhere. */
    running: z
      .strictObject({
        name: z.string(),
        hypervisor: z.enum(hypervisors),
        /** Whether recovery is stopping it: a call to do so may be under way. */
        isBeingStopped: z.boolean(),
      })
      .readonly()
      .optional(),
  }),
  kindOf("export", { node: NodeUuid, instanceName: z.string() }),
  kindOf("recreation", { node: NodeUuid, disks: z.array(DiskUuid).readonly() }),
]);
export type Claim = z.infer<typeof Claim>;

/** Kind of a claim. */
export type ClaimKind = Claim["kind"];

/** A claim of that kind. */
export type ClaimOf<Kind extends ClaimKind> = Extract<Claim, { readonly kind: Kind }>;
