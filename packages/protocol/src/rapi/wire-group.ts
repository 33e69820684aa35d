/** A node group as the RAPI shows it. */
import * as z from "zod";
import { allocationPolicies } from "../cluster-data.js";
import { WirePolicy } from "../iallocator/wire-policy.js";
import { GroupName, GroupUuid, NodeName, Tag } from "../ids.js";
import { WireParameterSets, WireParameters, wireStamps } from "./wire-common.js";

export const RapiGroup = z.object({
  name: GroupName,
  uuid: GroupUuid,
  alloc_policy: z.enum(allocationPolicies),
  /** Complete: what the group does not set itself comes from the cluster. */
  ipolicy: WirePolicy,
  /** What of it the group sets itself; the same of the others that are called so. */
  custom_ipolicy: WireParameters.optional(),
  diskparams: WireParameterSets.optional(),
  custom_diskparams: WireParameterSets.optional(),
  ndparams: WireParameters.optional(),
  custom_ndparams: WireParameters.optional(),
  node_cnt: z.int(),
  node_list: z.array(NodeName),
  ...wireStamps,
  tags: z.array(Tag),
});
export type RapiGroup = z.infer<typeof RapiGroup>;
