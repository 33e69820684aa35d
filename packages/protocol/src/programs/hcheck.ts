/** Document of `hcheck --json`: health of a cluster, before and after simulated balancing. */
import * as z from "zod";
import { Figure } from "../explanation/refusal.js";

const names = z.array(z.string());

/** Problems of a group; nodes by name. */
export const HcheckHealth = z.strictObject({
  /** Online nodes that lack the memory reserved for the failure of another node. */
  failingN1: names,
  /** Nodes with several primaries of the same exclusion tag. */
  conflicting: names,
  offline: names,
  /** Number of instances with an offline primary. */
  offlinePrimaries: z.int(),
  /** Nodes whose instances could not all be placed elsewhere; null if this was not checked. */
  stuck: names.nullable(),
  score: Figure,
});
export type HcheckHealth = z.infer<typeof HcheckHealth>;

/** Output of `hcheck --json`. */
export const HcheckReport = z.strictObject({
  /** Before balancing. A cluster with an offline node is not healthy, as in Ganeti. */
  healthy: z.boolean(),
  /** Whether balancing was simulated, which happens only if the cluster is not healthy. */
  simulated: z.boolean(),
  /** Groups that have nodes. `after` equals `before` if balancing was not simulated. */
  groups: z.array(
    z.strictObject({
      name: z.string(),
      uuid: z.string(),
      before: HcheckHealth,
      after: HcheckHealth,
    }),
  ),
});
export type HcheckReport = z.infer<typeof HcheckReport>;
