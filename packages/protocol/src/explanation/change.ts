/** Changes to a message or to options that change the answer. */
import * as z from "zod";
import { allocationPolicies, diskTemplates } from "../cluster-data.js";
import { evacuationModes } from "../iallocator/request.js";

const amount = z.int().refine((by) => by !== 0, "a change of nothing");

/** `by` is signed; sizes in MiB. Instances, nodes and groups by full name. */
export const AllocationChange = z.discriminatedUnion("kind", [
  /**
   * `disk` changes the largest disks first; `disks` removes the last ones; `spindles` are those of the disks
   * (exclusive storage). Resources that an existing instance gives up become free on its nodes.
   */
  z.strictObject({
    kind: z.literal("resize"),
    instance: z.string(),
    resource: z.enum(["memory", "disk", "vcpus", "spindles", "spindle-use", "disks"]),
    by: amount,
  }),
  z.strictObject({ kind: z.literal("remove-tag"), instance: z.string(), tag: z.string() }),
  /** Increases the total amount; all of the increase is free. */
  z.strictObject({
    kind: z.literal("extend-node"),
    node: z.string(),
    resource: z.enum(["memory", "disk", "spindles", "cpus"]),
    by: amount,
  }),
  /** The node is no longer drained. */
  z.strictObject({ kind: z.literal("return-node"), node: z.string() }),
  /** Removes a migration tag that other nodes do not accept. */
  z.strictObject({ kind: z.literal("remove-node-tag"), node: z.string(), tag: z.string() }),
  /** Adds empty nodes to its group that otherwise equal this one. */
  z.strictObject({ kind: z.literal("add-nodes"), like: z.string(), by: amount }),
  z.strictObject({
    kind: z.literal("set-group-policy"),
    group: z.string(),
    policy: z.enum(allocationPolicies),
  }),
  z.strictObject({ kind: z.literal("connect-group"), group: z.string(), network: z.string() }),
  z.strictObject({
    kind: z.literal("allow-template"),
    group: z.string(),
    template: z.enum(diskTemplates),
  }),
  z.strictObject({ kind: z.literal("drop-group-name") }),
  /** Restriction of the request and of the command line. */
  z.strictObject({ kind: z.literal("drop-node-restriction") }),
  z.strictObject({ kind: z.literal("allow-node"), node: z.string() }),
  z.strictObject({
    kind: z.literal("set-option"),
    option: z.enum(["no-capacity-checks", "ignore-soft-errors"]),
  }),
  z.strictObject({ kind: z.literal("set-required-nodes"), count: z.int() }),
  z.strictObject({ kind: z.literal("set-relocate-from"), node: z.string() }),
  z.strictObject({ kind: z.literal("set-evacuation-mode"), mode: z.enum(evacuationModes) }),
  z.strictObject({ kind: z.literal("any-target-group") }),
]);
export type AllocationChange = z.infer<typeof AllocationChange>;

/** Changes that together let the request succeed; if any one is omitted it fails. */
export const Suggestion = z.strictObject({
  changes: z.array(AllocationChange).min(1),
  /** For example `1 more spindle on node3`. */
  text: z.string(),
});
export type Suggestion = z.infer<typeof Suggestion>;
