/** Families of parameters that are filled from several levels. Sizes in MiB. */
import * as z from "zod";
import { Parameters } from "./common.js";

const beparams = {
  maxmem: z.int(),
  minmem: z.int(),
  vcpus: z.int(),
  auto_balance: z.boolean(),
  always_failover: z.boolean(),
  spindle_use: z.int(),
};
/** Back-end parameters of an instance (memory, CPUs, …), filled. */
export const Beparams = z.strictObject(beparams).readonly();
export type Beparams = z.infer<typeof Beparams>;
/** Schema of backend parameters that an instance sets itself. */
export const PartialBeparams = z.strictObject(beparams).partial().readonly();
export type PartialBeparams = z.infer<typeof PartialBeparams>;

/** Modes of a NIC. */
export const nicModes = ["bridged", "routed", "openvswitch", "ext"] as const;
const nicparams = { mode: z.enum(nicModes), link: z.string(), vlan: z.string() };
/** Connection parameters of a NIC, filled. */
export const Nicparams = z.strictObject(nicparams).readonly();
export type Nicparams = z.infer<typeof Nicparams>;
/** Schema of NIC parameters that a NIC sets itself. */
export const PartialNicparams = z.strictObject(nicparams).partial().readonly();
export type PartialNicparams = z.infer<typeof PartialNicparams>;

const ndparams = {
  oob_program: z.string(),
  spindle_count: z.int(),
  exclusive_storage: z.boolean(),
  ovs: z.boolean(),
  ovs_name: z.string(),
  ovs_link: z.string(),
  ssh_port: z.int(),
  cpu_speed: z.number(),
};
/** Node parameters, filled. */
export const Ndparams = z.strictObject(ndparams).readonly();
export type Ndparams = z.infer<typeof Ndparams>;
/** Schema of node parameters that a node or group sets itself. */
export const PartialNdparams = z.strictObject(ndparams).partial().readonly();
export type PartialNdparams = z.infer<typeof PartialNdparams>;

/** Parameters of disks, by disk template. */
export const Diskparams = z.record(z.string(), Parameters).readonly();
export type Diskparams = z.infer<typeof Diskparams>;
