/** What can be asked of an allocator. */
import * as z from "zod";
import { InstanceName, NodeName } from "../ids.js";
import { Count, SizeMib } from "../units.js";
import { ignored } from "./ignored.js";
import { evacuationModes } from "./request.js";
import { WireWanted } from "./wire-instance.js";

/** Where to place a new instance. */
export const AllocateRequest = WireWanted.extend({
  type: z.literal("allocate"),
  /** Name or UUID of the only group to consider; an unknown one makes the request fail. */
  group_name: z.string().nullish(),
  /** The only nodes to consider; full names, unknown ones match nothing. */
  "restrict-to-nodes": z.array(NodeName).nullish(),
});
export type AllocateRequest = z.infer<typeof AllocateRequest>;

/** Where to place several, each on what the ones before it leave. */
export const MultiAllocateRequest = z.object({
  type: z.literal("multi-allocate"),
  instances: z.array(WireWanted),
  group_name: z.string().nullish(),
});
export type MultiAllocateRequest = z.infer<typeof MultiAllocateRequest>;

/** How many such instances can be allocated, and where. Ours: Ganeti refuses the type. */
export const CapacityRequest = WireWanted.extend({
  type: z.literal("capacity"),
  /** Name or UUID of the only group to consider; an unknown one makes the request fail. */
  group_name: z.string().nullish(),
  /** The only nodes to consider; full names, unknown ones match nothing. */
  "restrict-to-nodes": z.array(NodeName).nullish(),
  /** How many to place at most; negative means no limit, as by default. */
  max_count: Count.nullish(),
});
export type CapacityRequest = z.infer<typeof CapacityRequest>;

/** Which node could become the secondary of an instance that has none. */
export const AllocateSecondaryRequest = z.object({
  type: z.literal("allocate-secondary"),
  /** The full name of an existing instance. */
  name: InstanceName,
});
export type AllocateSecondaryRequest = z.infer<typeof AllocateSecondaryRequest>;

/** Where an instance can move within its group. */
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

/** How to get instances off the nodes they are on. */
export const NodeEvacuateRequest = z.object({
  type: z.literal("node-evacuate"),
  /** Full names or aliases. */
  instances: z.array(InstanceName),
  evac_mode: z.enum(evacuationModes),
});
export type NodeEvacuateRequest = z.infer<typeof NodeEvacuateRequest>;

/** How to get instances into another group. */
export const ChangeGroupRequest = z.object({
  type: z.literal("change-group"),
  /** Full names or aliases. */
  instances: z.array(InstanceName),
  /** Names or UUIDs; empty means any other group. */
  target_groups: z.array(z.string()),
});
export type ChangeGroupRequest = z.infer<typeof ChangeGroupRequest>;

/**
 * Which moves balance a group best, one after the other. Ours: Ganeti refuses the type. All but the
 * type may be missing; then it is as `hbal` does by default, reservations first.
 */
export const BalanceRequest = z.object({
  type: z.literal("balance"),
  /** Negative means no limit, as by default. */
  max_moves: z.number().nullish(),
  /** Name or UUID; needed where several groups have nodes, an unknown one makes the request fail. */
  group_name: z.string().nullish(),
  /** Moves only instances away from nodes that are offline or drained. */
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
