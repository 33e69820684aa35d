/** Schema of an entry of `nodes`; its key is the node's name. */
import * as z from "zod";
import { GroupUuid, Tag } from "../ids.js";
import { Count, Measure, SizeMib } from "../units.js";
import { ignored } from "./ignored.js";

/** Node parameters, filled from group and cluster. */
export const WireNodeParameters = z.discriminatedUnion("exclusive_storage", [
  z.object({ exclusive_storage: z.literal(true), spindle_count: ignored(Count) }),
  z.object({ exclusive_storage: z.literal(false), spindle_count: Count }),
]);
export type WireNodeParameters = z.infer<typeof WireNodeParameters>;

/** Keys of every node. */
const basics = {
  /** A drained node: it takes no new instances, but its figures must be present. */
  drained: z.boolean(),
  group: GroupUuid,
  ndparams: WireNodeParameters,
  tags: z.array(Tag).nullish(),
  master_candidate: ignored(z.boolean()),
  master_capable: ignored(z.boolean()),
  primary_ip: ignored(z.string()),
  secondary_ip: ignored(z.string()),
  /** Memory of all, or of the running, primary instances of the node. */
  i_pri_memory: ignored(SizeMib),
  i_pri_up_memory: ignored(SizeMib),
};

/** Figures that are missing for nodes that cannot be queried; they are ignored then. */
const noFigures = {
  total_memory: ignored(Measure),
  reserved_memory: ignored(SizeMib),
  free_memory: ignored(SizeMib),
  total_disk: ignored(Measure),
  free_disk: ignored(SizeMib),
  total_cpus: ignored(Measure),
  reserved_cpus: ignored(Count),
  total_spindles: ignored(Count),
  free_spindles: ignored(Count),
};

const LiveNode = z
  .object({
    ...basics,
    offline: z.literal(false),
    vm_capable: z.literal(true).nullish(),
    total_memory: Measure,
    /** Used by the node's own system. */
    reserved_memory: SizeMib,
    free_memory: SizeMib,
    total_disk: Measure,
    free_disk: SizeMib,
    total_cpus: Measure,
    /** Used by the node's own system. */
    reserved_cpus: Count,
    /** Required with exclusive storage; otherwise `ndparams.spindle_count` is used. */
    total_spindles: ignored(Count),
    free_spindles: Count,
  })
  .refine((node) => !node.ndparams.exclusive_storage || typeof node.total_spindles === "number", {
    path: ["total_spindles"],
    error: "required on a node with exclusive storage",
  });

/**
 * A live node (neither offline nor incapable of instances), which has all figures, or one that is not live.
 */
export const WireNode = z.discriminatedUnion("offline", [
  z.object({
    ...basics,
    ...noFigures,
    offline: z.literal(true),
    vm_capable: z.boolean().nullish(),
  }),
  z.discriminatedUnion("vm_capable", [
    z.object({
      ...basics,
      ...noFigures,
      offline: z.literal(false),
      vm_capable: z.literal(false),
    }),
    LiveNode,
  ]),
]);
export type WireNode = z.infer<typeof WireNode>;
