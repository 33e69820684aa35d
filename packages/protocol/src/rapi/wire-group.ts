/** Node group in the RAPI. */
import * as z from "zod";
import { allocationPolicies } from "../cluster-data.js";
import { WirePolicy } from "../iallocator/wire-policy.js";
import { GroupName, GroupUuid, NodeName, Tag } from "../ids.js";
import { WireParameterSets, WireParameters, wireStamps } from "./wire-common.js";

/** Schema of a node group as the remote API shows it. */
export const RapiGroup = z.object({
  name: GroupName,
  uuid: GroupUuid,
  alloc_policy: z.enum(allocationPolicies),
  /** Complete: values that the group does not set come from the cluster. */
  ipolicy: WirePolicy,
  /** The part that the group sets itself; likewise for the other `custom_` keys. */
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
