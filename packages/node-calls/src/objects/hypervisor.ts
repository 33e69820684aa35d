import * as z from "zod";
import { object, Parameters } from "../call.js";

/** A hypervisor and its cluster-wide parameters. */
export const HypervisorOnNode = object({ name: z.string(), hvparams: Parameters });
export type HypervisorOnNode = z.infer<typeof HypervisorOnNode>;

/** Hypervisors that a question is about. */
export const hypervisorsAsked = {
  hypervisors: z.array(HypervisorOnNode).readonly(),
  /** The cluster's other hypervisors, which only Ganeti's master sends along: nodes do not need them. */
  others: z.array(HypervisorOnNode).readonly().optional(),
};
