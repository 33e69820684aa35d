/** Network in the RAPI. */
import * as z from "zod";
import { GroupName, InstanceName, NetworkUuid, Tag } from "../ids.js";
import { Count } from "../units.js";
import { wireStamps } from "./wire-common.js";

/** Schema of a network as the remote API shows it. */
export const RapiNetwork = z.object({
  name: z.string(),
  uuid: NetworkUuid,
  /** IPv4, with the length of its prefix. */
  network: z.string(),
  gateway: z.string().nullish(),
  network6: z.string().nullish(),
  gateway6: z.string().nullish(),
  mac_prefix: z.string().nullish(),
  /** Number of free addresses. */
  free_count: Count,
  reserved_count: Count,
  /** A character per address: `X` is taken, `.` is free. */
  map: z.string(),
  /** Its connections: group, mode, link and vlan. */
  group_list: z.array(z.tuple([GroupName, z.string(), z.string(), z.string()])),
  inst_list: z.array(InstanceName),
  /** Addresses not available to instances, separated by commas. */
  external_reservations: z.string(),
  ...wireStamps,
  tags: z.array(Tag),
});
export type RapiNetwork = z.infer<typeof RapiNetwork>;
