/** Document of `hsqueeze --json`: nodes to switch off or on, and moves. */
import * as z from "zod";

/** One job: an instance with its nodes before and after, primary first. */
export const HsqueezeMove = z.strictObject({
  instance: z.string(),
  from: z.array(z.string()).min(1).max(2),
  to: z.array(z.string()).min(1).max(2),
  /** Commands for Ganeti, in order. */
  commands: z.array(z.string()),
});
export type HsqueezeMove = z.infer<typeof HsqueezeMove>;

/** Output of `hsqueeze --json`. */
export const HsqueezeReport = z.strictObject({
  /** `online`: the nodes come back before the moves; `offline`: they are switched off after them. */
  action: z.enum(["online", "offline", "none"]),
  nodes: z.array(z.string()),
  /** False: even with all standby nodes some node lacks the required room. */
  enough: z.boolean(),
  /** Nodes to choose from. */
  candidates: z.strictObject({ offline: z.array(z.string()), online: z.array(z.string()) }),
  /** The jobs of a set can run at the same time; the sets run one after the other. */
  jobSets: z.array(z.array(HsqueezeMove)),
});
export type HsqueezeReport = z.infer<typeof HsqueezeReport>;
