/** Schema of an entry of `nodegroups`; its key is the group's UUID. */
import * as z from "zod";
import { allocationPolicies } from "../cluster-data.js";
import { GroupName, NetworkUuid, Tag } from "../ids.js";
import { WirePolicy } from "./wire-policy.js";

/** An entry of `nodegroups` in an allocator message. */
export const WireGroup = z.object({
  name: GroupName,
  alloc_policy: z.enum(allocationPolicies),
  /** The networks the group is connected to. */
  networks: z.array(NetworkUuid),
  ipolicy: WirePolicy,
  tags: z.array(Tag),
});
export type WireGroup = z.infer<typeof WireGroup>;
