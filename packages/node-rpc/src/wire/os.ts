/** Calls about operating system definitions and providers of external storage. */
import type { ExtStorageDefinition, OsCalls, OsDefinition } from "@ganeti-ts/node-calls";
import type { CallWires } from "./call-wire.js";
import { listOf, noArguments, plain, positional } from "./format.js";
import { instance } from "./objects.js";

export const osDefinitions = listOf(
  positional<OsDefinition>(
    ["name", plain],
    ["path", plain],
    ["valid", plain],
    ["fault", plain],
    ["variants", plain],
    ["parameters", plain],
    ["apiVersions", plain],
    ["trusted", plain],
  ),
);

const extStorageDefinitions = listOf(
  positional<ExtStorageDefinition>(
    ["name", plain],
    ["path", plain],
    ["valid", plain],
    ["fault", plain],
    ["parameters", plain],
  ),
);

export const osWires: CallWires<keyof OsCalls> = {
  os_export: {
    arguments: positional(["instance", instance], ["environment", plain]),
    value: plain,
  },
  os_diagnose: { arguments: noArguments, value: osDefinitions },
  extstorage_diagnose: { arguments: noArguments, value: extStorageDefinitions },
  os_validate: {
    arguments: positional(
      ["required", plain],
      ["name", plain],
      ["checks", plain],
      ["parameters", plain],
      ["forceVariant", plain],
    ),
    value: plain,
  },
};
