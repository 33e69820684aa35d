/** Document of `hinfo --json`: description of a cluster. */
import * as z from "zod";
import { allocationPolicies } from "../cluster-data.js";
import { scoreTerms } from "../explanation/explanation.js";
import { Figure } from "../explanation/refusal.js";
import { InstanceReport, NodeReport } from "./node-report.js";

/** Output of `hinfo --json`. */
export const HinfoReport = z.strictObject({
  tags: z.array(z.string()),
  /** No online node lacks memory for the failure of another. */
  n1Happy: z.boolean(),
  /** Score of all nodes together; lower is better. */
  score: Figure,
  /** Components of the score; empty if no node is online. */
  metrics: z.array(z.strictObject({ name: z.enum(scoreTerms), weight: z.number(), value: Figure })),
  /** Groups that have nodes. */
  groups: z.array(
    z.strictObject({
      name: z.string(),
      uuid: z.string(),
      allocationPolicy: z.enum(allocationPolicies),
      nodes: z.int(),
      /** Instances with their primary in the group. */
      instances: z.int(),
      /** Names of online nodes that fail N+1, and of the instances on them. */
      badNodes: z.array(z.string()),
      badInstances: z.array(z.string()),
      score: Figure,
    }),
  ),
  /** Names of instances on nodes of two groups. */
  splitInstances: z.array(z.string()),
  nodes: z.array(NodeReport),
  instances: z.array(InstanceReport),
});
export type HinfoReport = z.infer<typeof HinfoReport>;
