/** A network interface of an instance. */
import * as z from "zod";
import { NetworkUuid } from "../ids.js";
import { PartialNicparams } from "./parameters.js";

const nic = {
  uuid: z.string(),
  /** Six octets, lower case. */
  mac: z.string(),
  ip: z.string().optional(),
  name: z.string().optional(),
  /** If given, mode and link come from the group's connection to that network. */
  network: NetworkUuid.optional(),
  nicparams: PartialNicparams,
};

/** Schema of a NIC of an instance. */
export const NicObject = z.strictObject(nic).readonly();
export type NicObject = z.infer<typeof NicObject>;

/** A NIC of a forthcoming instance. */
export const ForthcomingNic = z
  .strictObject({ ...nic, mac: nic.mac.optional(), nicparams: nic.nicparams.optional() })
  .readonly();
export type ForthcomingNic = z.infer<typeof ForthcomingNic>;
