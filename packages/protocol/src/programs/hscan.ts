/** Document of `hscan --json`: summaries of several clusters. Memory in MiB, disk in MiB. */
import * as z from "zod";
import { Figure } from "../explanation/refusal.js";

/** Output of `hscan --json`. */
export const HscanReport = z.strictObject({
  /** In the order of the command line. */
  clusters: z.array(
    z.discriminatedUnion("ok", [
      z.strictObject({
        ok: z.literal(true),
        /** The address as given; `LOCAL` for the master's own socket. */
        name: z.string(),
        /** Path of the saved cluster. */
        file: z.string(),
        nodes: z.int(),
        instances: z.int(),
        /** Online nodes that fail N+1, and the instances on them. */
        badNodes: z.int(),
        badInstances: z.int(),
        memory: z.strictObject({ total: Figure, free: z.number() }),
        disk: z.strictObject({ total: Figure, free: z.number() }),
        /** Lower is better. */
        score: Figure,
      }),
      z.strictObject({
        ok: z.literal(false),
        name: z.string(),
        /** Reason why the cluster could not be read. */
        error: z.string(),
      }),
    ]),
  ),
});
export type HscanReport = z.infer<typeof HscanReport>;
