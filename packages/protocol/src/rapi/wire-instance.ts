/** Instance in the RAPI. Sizes in MiB. */
import * as z from "zod";
import { instanceStatuses } from "../cluster-data.js";
import { WireDiskTemplate } from "../iallocator/wire-policy.js";
import { InstanceName, NodeName, Tag } from "../ids.js";
import { Count, SizeMib } from "../units.js";
import { WireParameters, wireStamps } from "./wire-common.js";

/** One per disk or NIC. */
const textsOrNull = z.array(z.string().nullable()).optional();

/** Schema of an instance as the remote API shows it. */
export const RapiInstance = z.object({
  name: InstanceName,
  uuid: z.string(),
  status: z.enum(instanceStatuses),
  admin_state: z.string(),
  /** Whether it is running; null if its node does not report it. */
  oper_state: z.boolean().nullish(),
  /** Memory it uses now; null, `-` or missing if it does not run. */
  oper_ram: z.union([SizeMib, z.string()]).nullish(),
  /** null for a forthcoming instance without one; likewise template and OS. */
  pnode: NodeName.nullable(),
  snodes: z.array(NodeName),
  disk_template: WireDiskTemplate.nullable(),
  /** On all its nodes together, including the metadata of drbd. */
  disk_usage: SizeMib,
  "disk.sizes": z.array(SizeMib),
  /** null if unknown; used with exclusive storage. */
  "disk.spindles": z.array(Count.nullable()),
  beparams: z.looseObject({
    maxmem: SizeMib,
    minmem: SizeMib,
    vcpus: Count,
    auto_balance: z.boolean(),
    spindle_use: Count,
  }),
  /** The part that the instance sets itself. */
  custom_beparams: WireParameters.nullish(),
  hvparams: WireParameters.nullish(),
  custom_hvparams: WireParameters.nullish(),
  /** Number of CPUs it has now. */
  oper_vcpus: Count.nullish(),
  os: z.string().nullable(),
  network_port: z.int().nullish(),
  "disk.uuids": z.array(z.string()).optional(),
  "disk.names": textsOrNull,
  "nic.ips": textsOrNull,
  "nic.macs": textsOrNull,
  "nic.modes": textsOrNull,
  "nic.links": textsOrNull,
  "nic.bridges": textsOrNull,
  "nic.names": textsOrNull,
  "nic.uuids": textsOrNull,
  /** UUIDs. */
  "nic.networks": textsOrNull,
  "nic.networks.names": textsOrNull,
  custom_nicparams: z.array(WireParameters).nullish(),
  ...wireStamps,
  /**
   * A forthcoming instance: it holds its resources, but does not run yet. Servers before 3.1 omit the key.
   */
  forthcoming: z.boolean().optional(),
  tags: z.array(Tag),
});
export type RapiInstance = z.infer<typeof RapiInstance>;
