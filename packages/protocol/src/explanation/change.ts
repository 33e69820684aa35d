/** Changes of a message or of options under which a request would be answered otherwise. */
import * as z from "zod";
import { allocationPolicies, diskTemplates } from "../cluster-data.js";
import { evacuationModes } from "../iallocator/request.js";

const amount = z.int().refine((by) => by !== 0, "a change of nothing");

/** `by` is signed; sizes in MiB. Instances, nodes and groups by their full name. */
export const AllocationChange = z.discriminatedUnion("kind", [
  /**
   * `disk` levels the largest disks first; `disks` takes the last ones away; `spindles` are those of
   * the disks (exclusive storage). What a placed instance gives up, its nodes have free.
   */
  z.strictObject({
    kind: z.literal("resize"),
    instance: z.string(),
    resource: z.enum(["memory", "disk", "vcpus", "spindles", "spindle-use", "disks"]),
    by: amount,
  }),
  z.strictObject({ kind: z.literal("remove-tag"), instance: z.string(), tag: z.string() }),
  /** More of it in total, and all of that free. */
  z.strictObject({
    kind: z.literal("extend-node"),
    node: z.string(),
    resource: z.enum(["memory", "disk", "spindles", "cpus"]),
    by: amount,
  }),
  /** Not drained any more. */
  z.strictObject({ kind: z.literal("return-node"), node: z.string() }),
  /** A migration tag that others do not accept. */
  z.strictObject({ kind: z.literal("remove-node-tag"), node: z.string(), tag: z.string() }),
  /** New empty nodes in its group, otherwise like this one. */
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
  /** Of the request and of the command line. */
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

/** Changes that, made together, let the request succeed; without any of them it fails. */
export const Suggestion = z.strictObject({
  changes: z.array(AllocationChange).min(1),
  /** `1 more spindle on node3` */
  text: z.string(),
});
export type Suggestion = z.infer<typeof Suggestion>;
