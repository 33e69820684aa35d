/** The cluster as a whole as the RAPI shows it. */
import { z } from "zod";
import { hypervisors } from "../iallocator/hypervisor.js";
import { WireDiskTemplate, WirePolicy } from "../iallocator/wire-policy.js";
import { NodeName, Tag } from "../ids.js";

export const RapiInfo = z.object({
  name: z.string(),
  master: NodeName,
  software_version: z.string(),
  default_hypervisor: z.enum(hypervisors),
  enabled_hypervisors: z.array(z.enum(hypervisors)),
  enabled_disk_templates: z.array(WireDiskTemplate),
  ipolicy: WirePolicy,
  uuid: z.string(),
  tags: z.array(Tag),
});
export type RapiInfo = z.infer<typeof RapiInfo>;
