/** What `hbal --json` prints. Names are full names. */
import * as z from "zod";
import { Figure } from "../explanation/refusal.js";

const names = z.array(z.string());

export const HbalStep = z.strictObject({
  instance: z.string(),
  /** In hbal's short words: `f`, `fa:node`, `r:node`, `r:node f`, `f r:node f`, `f r:node`. */
  action: z.string(),
  /** Primary and, if there is one, secondary. */
  from: names.min(1).max(2),
  to: names.min(1).max(2),
  /** After the step. */
  score: Figure,
  /** The weighted terms of the score that it changes; improved ones first. */
  terms: z.array(z.strictObject({ name: z.string(), before: Figure, after: Figure })),
  commands: names.min(1),
});
export type HbalStep = z.infer<typeof HbalStep>;

export const HbalReport = z.strictObject({
  /** Of the whole cluster. */
  nodes: z.int(),
  instances: z.int(),
  /** The one that is balanced; null for a cluster without instances. */
  group: z
    .strictObject({
      name: z.string(),
      uuid: z.string(),
      nodes: z.int(),
      instances: z.int(),
      /** Online nodes without the memory kept for the failure of another node. */
      failingN1: names,
      instancesOnFailing: names,
      /** Other nodes with more spindles or CPUs in use than the policy allows. */
      violatingPolicy: z.array(
        z.strictObject({ node: z.string(), violation: z.enum(["FailDisk", "FailCPU"]) }),
      ),
      initialScore: Figure,
      /** No balancing gets below. */
      optimum: Figure,
      finalScore: Figure,
      /** The score is near enough to the optimum, no move gains enough, or there were enough steps. */
      ended: z.enum(["optimum", "no gain", "steps", "aborted"]),
      steps: z.array(HbalStep),
      /** Positions in `steps`: those of a set can be carried out at once, after the set before. */
      jobSets: z.array(z.array(z.int()).min(1)),
    })
    .nullable(),
});
export type HbalReport = z.infer<typeof HbalReport>;
