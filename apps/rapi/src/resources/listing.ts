/** Lists of names with the paths behind them, and lists of whole objects. */
import * as z from "zod";

export const bulkText = "1 gives whole objects instead of names";

/** A list of names under `key`, each with its path. */
export const Listing = <Key extends string, Name extends z.ZodType>(key: Key, name: Name) =>
  z.array(z.looseObject({ [key]: name, uri: z.string() } as Record<Key | "uri", z.ZodType>));
