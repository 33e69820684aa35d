import { diskTypes } from "@ganeti-ts/protocol";
import * as z from "zod";
import { AnyJson, list, object, Parameters } from "../call.js";

/** Elements by `dev_type`, as in the configuration; nodes are given by UUID. */
export const LogicalId = list(AnyJson);
export type LogicalId = z.infer<typeof LogicalId>;

/** Ends of a mirror as the receiving node sees them. */
export const MirrorEnds = object({
  localIp: z.string(),
  /** Empty for one side of a mirror that is left to be removed: it must not be connected. */
  remoteIp: z.string(),
  localMinor: z.int(),
  remoteMinor: z.int(),
});
export type MirrorEnds = z.infer<typeof MirrorEnds>;

const fields = {
  uuid: z.string(),
  dev_type: z.enum(diskTypes, { error: ({ input }) => `Invalid block device type '${input}'` }),
  logical_id: LogicalId,
  /** MiB. */
  size: z.int(),
  mode: z.string().nullish(),
  /** `disk/0`, … */
  iv_name: z.string().nullish(),
  name: z.string().nullish(),
  /** UUIDs of both nodes of a mirror and of its children, of the primary for local disks. */
  nodes: list(z.string()).nullish(),
  /** Number of physical volumes, where the node has exclusive storage. */
  spindles: z.int().nullish(),
  /** Complete for the type, under the names that nodes use (`diskParamsOnNode` of the config package). */
  params: Parameters.nullish(),
  /**
   * Ends of a drbd disk for the receiving node, null for all other disks. A back end fills them from the
   * addresses that the nodes were introduced with; callers leave them out.
   */
  ends: MirrorEnds.nullish(),
  serial_no: z.int().nullish(),
  /** Seconds since the epoch. */
  ctime: z.number().nullish(),
  mtime: z.number().nullish(),
  /** Slot of a device that was attached while the instance ran, and its form before `hvinfo`. */
  pci: z.int().nullish(),
  hvinfo: Parameters.nullish(),
  forthcoming: z.boolean().nullish(),
};

/** A disk with its parameters filled, so that a node needs nothing else. Keys as in the configuration. */
export interface DiskOnNode extends z.infer<z.ZodReadonly<z.ZodObject<typeof fields>>> {
  /** Data and metadata of a drbd disk. */
  readonly children?: readonly DiskOnNode[] | null | undefined;
}
export const DiskOnNode: z.ZodType<DiskOnNode> = object({
  ...fields,
  get children() {
    return list(DiskOnNode).nullish();
  },
});
