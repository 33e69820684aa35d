/** Schemas of existing instances and of instances to be placed. */
import * as z from "zod";
import { InstanceName, NetworkUuid, NodeName, Tag } from "../ids.js";
import { Count, SizeMib } from "../units.js";
import { ignored } from "./ignored.js";
import { WireDiskTemplate } from "./wire-policy.js";

/** A disk of an instance in an allocator message. */
export const WireDisk = z.object({
  size: SizeMib,
  /** Used with exclusive storage. */
  spindles: Count.nullish(),
  mode: ignored(z.string()),
  type: ignored(z.string()),
});
export type WireDisk = z.infer<typeof WireDisk>;

/** A NIC of an instance in an allocator message. */
export const WireNic = z.object({
  mac: z.string().nullish(),
  ip: z.string().nullish(),
  mode: z.enum(["bridged", "routed", "openvswitch"]).nullish(),
  link: z.string().nullish(),
  bridge: z.string().nullish(),
  network: NetworkUuid.nullish(),
});
export type WireNic = z.infer<typeof WireNic>;

/** Requirements of an instance, independent of its nodes. */
const needs = {
  memory: SizeMib,
  vcpus: Count,
  spindle_use: Count,
  disk_template: WireDiskTemplate,
  /** Disk charged to the nodes; for drbd this includes the metadata. */
  disk_space_total: SizeMib,
  disks: z.array(WireDisk),
  nics: z.array(WireNic),
  tags: z.array(Tag),
  /** Anything but the last two counts as up. */
  admin_state: ignored(z.enum(["up", "down", "offline"])),
  /** A reservation: it holds its resources, but does not run yet. Anything but true counts as false. */
  forthcoming: ignored(z.boolean()),
  os: ignored(z.string()),
  hypervisor: ignored(z.string()),
};

/** One entry of `instances`; its key is the instance's name. */
export const WireInstance = z.object({
  ...needs,
  /** Primary and secondary; further entries are ignored. */
  nodes: z.tuple([NodeName, NodeName.optional()], z.unknown()),
  disks_active: ignored(z.boolean()),
  /** Source of the last change of `admin_state`. */
  admin_state_source: ignored(z.string()),
});
export type WireInstance = z.infer<typeof WireInstance>;

/** An instance to be placed on one node, or on two for a mirrored instance. */
export const WireWanted = z.object({ ...needs, name: InstanceName, required_nodes: Count });
export type WireWanted = z.infer<typeof WireWanted>;
