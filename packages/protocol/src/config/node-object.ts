/** Node object of the configuration. */
import * as z from "zod";
import { GroupUuid } from "../ids.js";
import { stamps, staticStates, Tags } from "./common.js";
import { NodeUuid } from "./ids.js";
import { PartialNdparams } from "./parameters.js";

/** At most one of `master_candidate`, `offline` and `drained` is true. */
export const NodeObject = z
  .strictObject({
    uuid: NodeUuid,
    name: z.string(),
    primary_ip: z.string(),
    /** Equal to `primary_ip` in clusters with a single network. */
    secondary_ip: z.string(),
    group: GroupUuid,
    master_candidate: z.boolean(),
    offline: z.boolean(),
    drained: z.boolean(),
    master_capable: z.boolean(),
    vm_capable: z.boolean(),
    /** Without `exclusive_storage`, which only groups and the cluster have. */
    ndparams: PartialNdparams,
    powered: z.boolean(),
    ...staticStates,
    ...stamps,
    tags: Tags,
  })
  .readonly();
export type NodeObject = z.infer<typeof NodeObject>;
