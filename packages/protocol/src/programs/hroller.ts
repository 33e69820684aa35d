/** Document of `hroller --json`: groups and order for rebooting nodes. */
import * as z from "zod";

/** New nodes of an instance before its present nodes are rebooted. */
export const HrollerMove = z.strictObject({
  instance: z.string(),
  primary: z.string(),
  /** Null: the instance has no mirror. */
  secondary: z.string().nullable(),
});
export type HrollerMove = z.infer<typeof HrollerMove>;

/** Nodes that may be down at the same time. */
export const HrollerGroup = z.strictObject({
  /** The master, if included, is last. Empty: the group contains only unselected nodes. */
  nodes: z.array(z.string()),
  /** Moves to make before the reboot, without mere failovers. */
  moves: z.array(HrollerMove),
});
export type HrollerGroup = z.infer<typeof HrollerGroup>;

/** Output of `hroller --json`. */
export const HrollerReport = z.strictObject({
  /** In order; with `--one-step-only` only the first. */
  groups: z.array(HrollerGroup),
  /** Groups of each colouring algorithm, by instances alone. */
  colourings: z.array(
    z.strictObject({
      algorithm: z.enum(["LF", "Dsatur", "Dcolor"]),
      sizes: z.array(z.int()),
      /** Whether the groups are made from this colouring. */
      chosen: z.boolean(),
    }),
  ),
});
export type HrollerReport = z.infer<typeof HrollerReport>;
