/** A network as the RAPI shows it. */
import * as z from "zod";
import { GroupName, InstanceName, NetworkUuid, Tag } from "../ids.js";
import { Count } from "../units.js";
import { wireStamps } from "./wire-common.js";

export const RapiNetwork = z.object({
  name: z.string(),
  uuid: NetworkUuid,
  /** IPv4, with the length of its prefix. */
  network: z.string(),
  gateway: z.string().nullish(),
  network6: z.string().nullish(),
  gateway6: z.string().nullish(),
  mac_prefix: z.string().nullish(),
  /** Addresses that are left. */
  free_count: Count,
  reserved_count: Count,
  /** A character per address: `X` is taken, `.` is free. */
  map: z.string(),
  /** Where it is connected: group, mode, link and vlan. */
  group_list: z.array(z.tuple([GroupName, z.string(), z.string(), z.string()])),
  inst_list: z.array(InstanceName),
  /** Addresses that are kept from instances, with commas between them. */
  external_reservations: z.string(),
  ...wireStamps,
  tags: z.array(Tag),
});
export type RapiNetwork = z.infer<typeof RapiNetwork>;
