/** Network object of the configuration, with its address pool. */
import * as z from "zod";
import { NetworkUuid } from "../ids.js";
import { stamps, Tags } from "./common.js";

/** One character per address, starting with the network address: `1` is taken. */
const AddressBits = z.string().regex(/^[01]*$/);

/** Schema of a network of `config.data`. */
export const NetworkObject = z
  .strictObject({
    uuid: NetworkUuid,
    name: z.string(),
    /** IPv4, `a.b.c.d/n`, n from 16 to 30. */
    network: z.string(),
    network6: z.string().optional(),
    gateway: z.string().optional(),
    gateway6: z.string().optional(),
    /** Prefix for NICs in this network, instead of the cluster's. */
    mac_prefix: z.string().optional(),
    /** Addresses of instances. */
    reservations: AddressBits,
    /** Addresses reserved by administrators: network and broadcast address, gateway, other machines. */
    ext_reservations: AddressBits,
    ...stamps,
    tags: Tags,
  })
  .readonly();
export type NetworkObject = z.infer<typeof NetworkObject>;
