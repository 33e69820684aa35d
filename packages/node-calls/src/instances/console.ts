import * as z from "zod";
import { list, object, Parameters } from "../call.js";
import { StoredObject } from "../objects/instance.js";

/** Access to a console; the keys depend on the kind. Ganeti's own names. */
export const Console = object({
  instance: z.string(),
  kind: z.enum(["ssh", "vnc", "spice", "msg"]),
  message: z.string().optional(),
  host: z.string().optional(),
  port: z.int().optional(),
  user: z.string().optional(),
  /** Words of the command line. */
  command: list(z.string()).optional(),
  display: z.union([z.string(), z.int()]).optional(),
});
export type Console = z.infer<typeof Console>;

/** Objects of the configuration as they are stored, and the instance's filled parameters. */
export const ConsoleRequest = object({
  instance: StoredObject,
  node: StoredObject,
  group: StoredObject,
  hvparams: Parameters,
  beparams: Parameters,
});
export type ConsoleRequest = z.infer<typeof ConsoleRequest>;
