/** Node group object of the configuration; membership is stored in its nodes. */
import * as z from "zod";
import { allocationPolicies } from "../cluster-data.js";
import { GroupUuid } from "../ids.js";
import { stamps, staticStates, Tags } from "./common.js";
import { Diskparams, Nicparams, PartialNdparams } from "./parameters.js";
import { GroupPolicy } from "./policy.js";

/** Schema of a node group of `config.data`. */
export const GroupObject = z
  .strictObject({
    uuid: GroupUuid,
    name: z.string(),
    alloc_policy: z.enum(allocationPolicies),
    ndparams: PartialNdparams,
    ipolicy: GroupPolicy,
    diskparams: Diskparams,
    /** Connections of the group's nodes to networks, by the network's UUID. */
    networks: z.record(z.string(), Nicparams).readonly(),
    ...staticStates,
    ...stamps,
    tags: Tags,
  })
  .readonly();
export type GroupObject = z.infer<typeof GroupObject>;
