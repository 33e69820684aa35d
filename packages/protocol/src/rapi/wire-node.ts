/** Node in the RAPI. Sizes in MiB. */
import * as z from "zod";
import { GroupUuid, InstanceName, NodeName, Tag } from "../ids.js";
import { Count, Measure, SizeMib } from "../units.js";
import { wireStamps } from "./wire-common.js";

/** A value reported by the node itself: null if it is offline, does not answer, or is not vm-capable. */
const live = <T extends z.ZodType>(schema: T) => schema.nullish();

/** Schema of a node as the remote API shows it. */
export const RapiNode = z.object({
  name: NodeName,
  offline: z.boolean(),
  drained: z.boolean(),
  master_candidate: z.boolean(),
  master_capable: z.boolean(),
  vm_capable: z.boolean(),
  /** M master, C master candidate, R regular, D drained, O offline. */
  role: z.string(),
  "group.uuid": GroupUuid,
  ndparams: z.looseObject({ exclusive_storage: z.boolean(), spindle_count: Count }),
  mtotal: live(SizeMib),
  /** Used by the node's own system. */
  mnode: live(SizeMib),
  mfree: live(SizeMib),
  dtotal: live(SizeMib),
  dfree: live(SizeMib),
  ctotal: live(Measure),
  /** CPUs of the node's own system. */
  cnos: live(Count),
  /** NUMA nodes and sockets. */
  cnodes: live(Count),
  csockets: live(Count),
  sptotal: live(Count),
  spfree: live(Count),
  pinst_cnt: Count,
  sinst_cnt: Count,
  pinst_list: z.array(InstanceName),
  sinst_list: z.array(InstanceName),
  pip: z.string(),
  sip: z.string(),
  /** Equal to `sip`; only for a single node. */
  secondary_ip: z.string().optional(),
  ...wireStamps,
  uuid: z.string(),
  tags: z.array(Tag),
});
export type RapiNode = z.infer<typeof RapiNode>;

/** Roles that `setNodeRole` can assign; it cannot make a node the master. */
export const NodeRole = z.enum(["master-candidate", "regular", "drained", "offline"]);
export type NodeRole = z.infer<typeof NodeRole>;
