/** Names of filter rules. */
import * as z from "zod";

/** Lower-case hexadecimal, 8-4-4-4-12. */
export const FilterUuid = z
  .string("Unable to parse UUID")
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, "Unable to parse UUID")
  .brand<"FilterUuid">();
export type FilterUuid = z.infer<typeof FilterUuid>;
