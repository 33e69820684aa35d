import * as z from "zod";
import { object } from "../call.js";

/** A file as it is sent to nodes: whole, with its attributes. */
export const Upload = object({
  path: z.string(),
  /** Text; nodes write it as UTF-8. */
  content: z.string(),
  /** `st_mode` with the type of the file, e.g. 0o100640; null: the node's default. */
  mode: z.int().nullable(),
  /** Names. */
  owner: z.string(),
  group: z.string(),
  /** Seconds since the epoch, with fractions. */
  accessedAt: z.number(),
  modifiedAt: z.number(),
});
export type Upload = z.infer<typeof Upload>;
