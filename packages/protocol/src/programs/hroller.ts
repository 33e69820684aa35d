/** What `hroller --json` prints: in which order nodes can be rebooted. */
import * as z from "zod";

/** Where an instance is to go before its nodes are rebooted. */
export const HrollerMove = z.strictObject({
  instance: z.string(),
  primary: z.string(),
  /** Null: the instance has no mirror. */
  secondary: z.string().nullable(),
});
export type HrollerMove = z.infer<typeof HrollerMove>;

/** Nodes that may be down at the same time. */
export const HrollerGroup = z.strictObject({
  /** The master, if it is one of them, is the last. Empty: nodes that were not asked about. */
  nodes: z.array(z.string()),
  /** What has to be moved away from them before; not what only fails over. */
  moves: z.array(HrollerMove),
});
export type HrollerGroup = z.infer<typeof HrollerGroup>;

export const HrollerReport = z.strictObject({
  /** First to last; with `--one-step-only` no more than the first. */
  groups: z.array(HrollerGroup),
  /** How each algorithm would group the nodes by their instances alone. */
  colourings: z.array(
    z.strictObject({
      algorithm: z.enum(["LF", "Dsatur", "Dcolor"]),
      sizes: z.array(z.int()),
      /** The one that the groups are made of. */
      chosen: z.boolean(),
    }),
  ),
});
export type HrollerReport = z.infer<typeof HrollerReport>;
