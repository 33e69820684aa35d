/** An instance as the RAPI shows it. Sizes in MiB. */
import { z } from "zod";
import { instanceStatuses } from "../cluster-data.js";
import { WireDiskTemplate } from "../iallocator/wire-policy.js";
import { InstanceName, NodeName, Tag } from "../ids.js";
import { Count, SizeMib } from "../units.js";

export const RapiInstance = z.object({
  name: InstanceName,
  uuid: z.string(),
  status: z.enum(instanceStatuses),
  admin_state: z.string(),
  /** Whether it really runs; null if its node cannot tell. */
  oper_state: z.boolean().nullish(),
  /** Memory it has now; null, `-` or missing if it does not run. */
  oper_ram: z.union([SizeMib, z.string()]).nullish(),
  pnode: NodeName,
  snodes: z.array(NodeName),
  disk_template: WireDiskTemplate,
  /** On all its nodes together, with the metadata of drbd. */
  disk_usage: SizeMib,
  "disk.sizes": z.array(SizeMib),
  /** null where not known; matters with exclusive storage. */
  "disk.spindles": z.array(Count.nullable()),
  beparams: z.looseObject({
    maxmem: SizeMib,
    minmem: SizeMib,
    vcpus: Count,
    auto_balance: z.boolean(),
    spindle_use: Count,
  }),
  os: z.string(),
  /** A reservation: holds its resources, does not run yet. Servers before 3.1 do not tell. */
  forthcoming: z.boolean().optional(),
  tags: z.array(Tag),
});
export type RapiInstance = z.infer<typeof RapiInstance>;
