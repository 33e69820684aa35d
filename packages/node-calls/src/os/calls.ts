/** Operating system definitions and providers of external storage. */
import * as z from "zod";
import { call, list, object, Parameters, record } from "../call.js";
import { InstanceOnNode } from "../objects/instance.js";

/** Names, each with its help text. */
const ParameterHelp = list(z.tuple([z.string(), z.string()]).readonly());

/** A definition in one directory of the search path. */
export const OsDefinition = object({
  name: z.string(),
  path: z.string(),
  valid: z.boolean(),
  /** Empty if the definition is valid. */
  fault: z.string(),
  variants: list(z.string()),
  parameters: ParameterHelp,
  apiVersions: list(z.int()),
  /** Its scripts may run on the node itself. */
  trusted: z.boolean(),
});
export type OsDefinition = z.infer<typeof OsDefinition>;

/** Schema of an external storage provider that a node has. */
export const ExtStorageDefinition = object({
  name: z.string(),
  path: z.string(),
  valid: z.boolean(),
  fault: z.string(),
  parameters: ParameterHelp,
});
export type ExtStorageDefinition = z.infer<typeof ExtStorageDefinition>;

export const osCalls = {
  /**
   * Packs the definition with the environment of its scripts, to which the given one is added; the value is the path of
   * the archive.
   */
  os_export: call("fast", "again", z.string(), {
    instance: InstanceOnNode,
    environment: record(z.string()),
  }),
  /** In the order of the search path: of several definitions with one name the first counts. */
  os_diagnose: call("fast", "looks", list(OsDefinition)),
  extstorage_diagnose: call("fast", "looks", list(ExtStorageDefinition)),
  /**
   * Whether the node has the OS, its variant (unless `forceVariant`) and takes these parameters; fails
   * with the fault. Where it is not required, a missing OS is `false`, not a failure.
   */
  os_validate: call("fast", "looks", z.boolean(), {
    required: z.boolean(),
    /** With its variant. */
    name: z.string(),
    checks: list(z.literal("parameters")),
    parameters: Parameters,
    forceVariant: z.boolean(),
  }),
};
