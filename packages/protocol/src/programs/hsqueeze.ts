/** What `hsqueeze --json` prints: which nodes to switch off or on, and what to move. */
import * as z from "zod";

/** One job: an instance and where it is before and after, primary first. */
export const HsqueezeMove = z.strictObject({
  instance: z.string(),
  from: z.array(z.string()).min(1).max(2),
  to: z.array(z.string()).min(1).max(2),
  /** What to tell Ganeti, one after the other. */
  commands: z.array(z.string()),
});
export type HsqueezeMove = z.infer<typeof HsqueezeMove>;

export const HsqueezeReport = z.strictObject({
  /** `online`: the nodes come back before anything moves; `offline`: they go after that. */
  action: z.enum(["online", "offline", "none"]),
  nodes: z.array(z.string()),
  /** False: not even all nodes on standby give every node the room it should have. */
  enough: z.boolean(),
  /** The nodes that could be chosen. */
  candidates: z.strictObject({ offline: z.array(z.string()), online: z.array(z.string()) }),
  /** The jobs of a set can run at the same time; the sets one after the other. */
  jobSets: z.array(z.array(HsqueezeMove)),
});
export type HsqueezeReport = z.infer<typeof HsqueezeReport>;
