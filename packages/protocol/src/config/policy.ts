/** Instance policies of clusters and groups, as stored. Sizes in MiB. */
import * as z from "zod";

/** In the order in which violations are reported. */
export const policyParameters = [
  "memory-size",
  "cpu-count",
  "disk-count",
  "disk-size",
  "nic-count",
  "spindle-use",
] as const;

const spec = {
  "memory-size": z.int(),
  "disk-size": z.int(),
  "disk-count": z.int(),
  "cpu-count": z.int(),
  "nic-count": z.int(),
  "spindle-use": z.int(),
};
/** One bound: a value for every parameter. */
export const PolicySpec = z.strictObject(spec).readonly();
export type PolicySpec = z.infer<typeof PolicySpec>;

const PolicyInterval = z.strictObject({ min: PolicySpec, max: PolicySpec }).readonly();

const replaced = {
  minmax: z.array(PolicyInterval).readonly(),
  "disk-templates": z.array(z.string()).readonly(),
  "vcpu-ratio": z.number(),
  "spindle-ratio": z.number(),
};

/** Policy of a cluster: complete. */
export const ClusterPolicy = z.strictObject({ ...replaced, std: PolicySpec }).readonly();
export type ClusterPolicy = z.infer<typeof ClusterPolicy>;

/** Policy of a group: missing values come from the cluster; it never has an `std` of its own. */
export const GroupPolicy = z.strictObject(replaced).partial().readonly();
export type GroupPolicy = z.infer<typeof GroupPolicy>;
