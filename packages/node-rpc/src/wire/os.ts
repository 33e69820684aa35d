/** Calls about operating system definitions and providers of external storage. */
import type { ExtStorageDefinition, OsCalls, OsDefinition } from "@ganeti-ts/node-calls";
import type { CallWires } from "./call-wire.js";
import { listOf, noArguments, positional } from "./format.js";
import { instance } from "./objects.js";

export const osDefinitions = listOf(
  positional<OsDefinition>(
    "name",
    "path",
    "valid",
    "fault",
    "variants",
    "parameters",
    "apiVersions",
    "trusted",
  ),
);

const extStorageDefinitions = listOf(
  positional<ExtStorageDefinition>("name", "path", "valid", "fault", "parameters"),
);

export const osWires: CallWires<keyof OsCalls> = {
  os_export: positional(["instance", instance], "environment"),
  os_diagnose: { arguments: noArguments, value: osDefinitions },
  extstorage_diagnose: { arguments: noArguments, value: extStorageDefinitions },
  os_validate: positional("required", "name", "checks", "parameters", "forceVariant"),
};
