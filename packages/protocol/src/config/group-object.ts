/** A node group as the configuration holds it; its nodes say that they belong to it. */
import * as z from "zod";
import { allocationPolicies } from "../cluster-data.js";
import { GroupUuid } from "../ids.js";
import { stamps, staticStates, Tags } from "./common.js";
import { Diskparams, Nicparams, PartialNdparams } from "./parameters.js";
import { GroupPolicy } from "./policy.js";

export const GroupObject = z
  .strictObject({
    uuid: GroupUuid,
    name: z.string(),
    alloc_policy: z.enum(allocationPolicies),
    ndparams: PartialNdparams,
    ipolicy: GroupPolicy,
    diskparams: Diskparams,
    /** How the group's nodes are connected to a network, by the network's UUID. */
    networks: z.record(z.string(), Nicparams).readonly(),
    ...staticStates,
    ...stamps,
    tags: Tags,
  })
  .readonly();
export type GroupObject = z.infer<typeof GroupObject>;
