/** Disk object of the configuration: real, or of a forthcoming instance. Sizes in MiB. */
import * as z from "zod";
import { diskTemplates } from "../cluster-data.js";
import { Parameters, stamps } from "./common.js";
import { DiskUuid, NodeUuid } from "./ids.js";

const DiskTypeChoice = z.enum(diskTemplates).exclude(["diskless"]);
/** Disk types: all disk templates but `diskless`. */
export const diskTypes = DiskTypeChoice.options;

/**
 * | type | elements |
 * |---|---|
 * | `plain` | volume group, logical volume |
 * | `drbd` | node, node, port, minor on the first, minor on the second, secret |
 * | `file`, `sharedfile`, `gluster` | driver, path |
 * | `blockdev` | `manual`, path |
 * | `rbd` | `rbd`, name |
 * | `ext` | provider, name |
 */
const LogicalId = z.array(z.union([z.string(), z.number(), z.null()])).readonly();

const common = {
  uuid: DiskUuid,
  /** Both nodes for a drbd disk and its children, the primary for a local disk, empty for others. */
  nodes: z.array(NodeUuid).readonly(),
  /** `disk/<index>` for disks of instances. */
  iv_name: z.string().optional(),
  mode: z.enum(["rw", "ro"]).optional(),
  name: z.string().optional(),
  spindles: z.int().optional(),
  params: Parameters.optional(),
  ...stamps,
};

const real = {
  ...common,
  forthcoming: z.literal(false).optional(),
  dev_type: DiskTypeChoice,
  logical_id: LogicalId,
  size: z.int(),
};

const forthcoming = {
  ...common,
  forthcoming: z.literal(true),
  dev_type: DiskTypeChoice.optional(),
  logical_id: LogicalId.optional(),
  /** 0 or absent: not specified yet. */
  size: z.int().optional(),
};

/** Data and metadata of a drbd disk, as its children; there is no third level. */
const noChildren = { children: z.array(z.never()).readonly().optional() };
const RealChild = z.strictObject({ ...real, ...noChildren }).readonly();
const ForthcomingChild = z.strictObject({ ...forthcoming, ...noChildren }).readonly();

/** Schema of a disk that exists. */
export const RealDisk = z
  .strictObject({ ...real, children: z.array(RealChild).readonly() })
  .readonly();
export type RealDisk = z.infer<typeof RealDisk>;

/** Schema of a disk that is only reserved. */
export const ForthcomingDisk = z
  .strictObject({ ...forthcoming, children: z.array(ForthcomingChild).readonly() })
  .readonly();
export type ForthcomingDisk = z.infer<typeof ForthcomingDisk>;

export type DiskObject = RealDisk | ForthcomingDisk;

/** A child of another disk. */
export type ChildDisk = DiskObject["children"][number];

/** Checks `forthcoming` first, so that faults refer to the intended form. */
export const DiskObject = z.discriminatedUnion("forthcoming", [RealDisk, ForthcomingDisk]);
