/** Schemas of requests to an allocator. */
import * as z from "zod";
import { InstanceName, NodeName } from "../ids.js";
import { Count, SizeMib } from "../units.js";
import { ignored } from "./ignored.js";
import { evacuationModes } from "./request.js";
import { WireWanted } from "./wire-instance.js";

/** Places a new instance. */
export const AllocateRequest = WireWanted.extend({
  type: z.literal("allocate"),
  /** Name or UUID of the only group to consider; an unknown one makes the request fail. */
  group_name: z.string().nullish(),
  /** The only nodes to consider; full names, unknown ones match nothing. */
  "restrict-to-nodes": z.array(NodeName).nullish(),
});
export type AllocateRequest = z.infer<typeof AllocateRequest>;

/** Places several instances, each in the state the previous ones leave. */
export const MultiAllocateRequest = z.object({
  type: z.literal("multi-allocate"),
  instances: z.array(WireWanted),
  group_name: z.string().nullish(),
});
export type MultiAllocateRequest = z.infer<typeof MultiAllocateRequest>;

/** Counts the instances of this kind that can be allocated. Not in Ganeti. */
export const CapacityRequest = WireWanted.extend({
  type: z.literal("capacity"),
  /** Name or UUID of the only group to consider; an unknown one makes the request fail. */
  group_name: z.string().nullish(),
  /** The only nodes to consider; full names, unknown ones match nothing. */
  "restrict-to-nodes": z.array(NodeName).nullish(),
  /** Maximum number to place; negative or absent: no limit. */
  max_count: Count.nullish(),
});
export type CapacityRequest = z.infer<typeof CapacityRequest>;

/** Chooses a secondary for an instance that has none. */
export const AllocateSecondaryRequest = z.object({
  type: z.literal("allocate-secondary"),
  /** The full name of an existing instance. */
  name: InstanceName,
});
export type AllocateSecondaryRequest = z.infer<typeof AllocateSecondaryRequest>;

/** Chooses new nodes for an instance within its group. */
export const RelocateRequest = z.object({
  type: z.literal("relocate"),
  /** The full name of an existing instance. */
  name: InstanceName,
  required_nodes: Count,
  /** Full names or aliases: the secondary of a drbd instance, the primary of others. */
  relocate_from: z.array(NodeName),
  disk_space_total: ignored(SizeMib),
});
export type RelocateRequest = z.infer<typeof RelocateRequest>;

/** Moves instances off their nodes. */
export const NodeEvacuateRequest = z.object({
  type: z.literal("node-evacuate"),
  /** Full names or aliases. */
  instances: z.array(InstanceName),
  evac_mode: z.enum(evacuationModes),
});
export type NodeEvacuateRequest = z.infer<typeof NodeEvacuateRequest>;

/** Moves instances to another group. */
export const ChangeGroupRequest = z.object({
  type: z.literal("change-group"),
  /** Full names or aliases. */
  instances: z.array(InstanceName),
  /** Names or UUIDs; empty means any other group. */
  target_groups: z.array(z.string()),
});
export type ChangeGroupRequest = z.infer<typeof ChangeGroupRequest>;

/**
 * Balances a group by a sequence of moves. Not in Ganeti. All keys but the type are optional; the defaults
 * are those of `hbal`, with forthcoming instances first.
 */
export const BalanceRequest = z.object({
  type: z.literal("balance"),
  /** Negative or absent: no limit. */
  max_moves: z.number().nullish(),
  /** Name or UUID; required if several groups have nodes, and an unknown one makes the request fail. */
  group_name: z.string().nullish(),
  /** Only moves instances away from offline or drained nodes. */
  evac_mode: z.boolean().nullish(),
  disk_moves: z.boolean().nullish(),
  instance_moves: z.boolean().nullish(),
  restricted_migration: z.boolean().nullish(),
  ignore_soft_errors: z.boolean().nullish(),
  min_gain: z.number().nullish(),
  min_gain_limit: z.number().nullish(),
  min_score: z.number().nullish(),
  /** Full names or aliases; an empty list selects all. */
  select_instances: z.array(InstanceName).nullish(),
  exclude_instances: z.array(InstanceName).nullish(),
});
export type BalanceRequest = z.infer<typeof BalanceRequest>;

/** The `request` of an allocator message, by its `type`. */
export const WireRequest = z.discriminatedUnion("type", [
  AllocateRequest,
  MultiAllocateRequest,
  CapacityRequest,
  AllocateSecondaryRequest,
  RelocateRequest,
  NodeEvacuateRequest,
  ChangeGroupRequest,
  BalanceRequest,
]);
export type WireRequest = z.infer<typeof WireRequest>;
