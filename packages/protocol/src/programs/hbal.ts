/** Document of `hbal --json`. Names are full names. */
import * as z from "zod";
import { Figure } from "../explanation/refusal.js";

const names = z.array(z.string());

/** One move of an `HbalReport`. */
export const HbalStep = z.strictObject({
  instance: z.string(),
  /** In hbal's notation: `f`, `fa:node`, `r:node`, `r:node f`, `f r:node f`, `f r:node`. */
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

/** Output of `hbal --json`. */
export const HbalReport = z.strictObject({
  /** Totals of the whole cluster. */
  nodes: z.int(),
  instances: z.int(),
  /** The balanced group; null for a cluster without instances. */
  group: z
    .strictObject({
      name: z.string(),
      uuid: z.string(),
      nodes: z.int(),
      instances: z.int(),
      /** Online nodes that lack the memory reserved for the failure of another node. */
      failingN1: names,
      instancesOnFailing: names,
      /** Other nodes that use more spindles or CPUs than the policy allows. */
      violatingPolicy: z.array(
        z.strictObject({ node: z.string(), violation: z.enum(["FailDisk", "FailCPU"]) }),
      ),
      initialScore: Figure,
      /** Lower bound for any balancing. */
      optimum: Figure,
      finalScore: Figure,
      /** The score is close enough to the optimum, no move gains enough, or the step limit was reached. */
      ended: z.enum(["optimum", "no gain", "steps", "aborted"]),
      steps: z.array(HbalStep),
      /** Positions in `steps`: the steps of a set can run at the same time, after the previous set. */
      jobSets: z.array(z.array(z.int()).min(1)),
    })
    .nullable(),
});
export type HbalReport = z.infer<typeof HbalReport>;
