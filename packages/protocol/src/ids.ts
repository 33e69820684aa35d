/**
 * Names on the wire, each kind with a type of its own: using an instance's name as a node's does not compile.
 * Names are not validated further here.
 */
import * as z from "zod";

/** Full name of a node, usually a host name with its domain. */
export const NodeName = z.string().brand<"NodeName">();
export type NodeName = z.infer<typeof NodeName>;

/** Full name of an instance. */
export const InstanceName = z.string().brand<"InstanceName">();
export type InstanceName = z.infer<typeof InstanceName>;

/** UUID of a node group. */
export const GroupUuid = z.string().brand<"GroupUuid">();
export type GroupUuid = z.infer<typeof GroupUuid>;

/** Name of a node group. */
export const GroupName = z.string().brand<"GroupName">();
export type GroupName = z.infer<typeof GroupName>;

/** UUID of a network. */
export const NetworkUuid = z.string().brand<"NetworkUuid">();
export type NetworkUuid = z.infer<typeof NetworkUuid>;

/** A tag of a cluster, group, node or instance: `namespace:value` by convention, any text by rule. */
export const Tag = z.string();
export type Tag = z.infer<typeof Tag>;
