/** What `hcheck --json` prints: whether a cluster is healthy, and whether balancing would make it so. */
import * as z from "zod";
import { Figure } from "../explanation/refusal.js";

const names = z.array(z.string());

/** What is wrong with a group; nodes by name. */
export const HcheckHealth = z.strictObject({
  /** Online, without the memory kept for the failure of another node. */
  failingN1: names,
  /** With several primaries of one exclusion tag. */
  conflicting: names,
  offline: names,
  /** How many instances have an offline primary. */
  offlinePrimaries: z.int(),
  /** Whose instances would not all find another place; null where that was not asked. */
  stuck: names.nullable(),
  score: Figure,
});
export type HcheckHealth = z.infer<typeof HcheckHealth>;

export const HcheckReport = z.strictObject({
  /** Before balancing. An offline node is enough not to be, as in Ganeti. */
  healthy: z.boolean(),
  /** Balancing was tried: only if the cluster is not healthy. */
  simulated: z.boolean(),
  /** Those that have nodes. `after` equals `before` where balancing was not tried. */
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
