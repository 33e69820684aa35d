/** A node group as the RAPI shows it. */
import { z } from "zod";
import { allocationPolicies } from "../cluster-data.js";
import { WirePolicy } from "../iallocator/wire-policy.js";
import { GroupName, GroupUuid, NodeName, Tag } from "../ids.js";

export const RapiGroup = z.object({
  name: GroupName,
  uuid: GroupUuid,
  alloc_policy: z.enum(allocationPolicies),
  /** Complete: what the group does not set itself comes from the cluster. */
  ipolicy: WirePolicy,
  node_cnt: z.int(),
  node_list: z.array(NodeName),
  tags: z.array(Tag),
});
export type RapiGroup = z.infer<typeof RapiGroup>;
