/** Options for printed tables, saved states and output formats. */
import { type Option, reads, sets } from "../option.js";
import { yesOrNo } from "../option-values.js";
import { tableFields } from "../printing/node-table.js";
import type { Settings } from "../settings.js";

export const verbose: Option<Settings> = {
  short: "v",
  long: "verbose",
  description: "increase the verbosity level",
  apply: (settings) => {
    settings.verbosity++;
  },
};

export const quiet: Option<Settings> = {
  short: "q",
  long: "quiet",
  description: "decrease the verbosity level",
  apply: (settings) => {
    settings.verbosity--;
  },
};

export const printNodes: Option<Settings> = {
  short: "p",
  long: "print-nodes",
  argument: { name: "FIELDS", optional: true },
  description: "print the final node list",
  apply: reads("printNodes", tableFields),
};

export const printInstances: Option<Settings> = {
  long: "print-instances",
  description: "print the final instance map",
  apply: sets("printInstances", true),
};

export const save: Option<Settings> = {
  short: "S",
  long: "save",
  argument: { name: "FILE" },
  description: "Save cluster state at the end of the processing to FILE",
  apply: reads("save", String),
};

export const machineReadable: Option<Settings> = {
  long: "machine-readable",
  argument: { name: "CHOICE", optional: true },
  completes: "choices=yes,no",
  description:
    "enable machine readable output (pass either 'yes' or 'no' to explicitly control the flag, " +
    "or without an argument defaults to yes)",
  apply: (settings, text) => {
    settings.machineReadable = yesOrNo(text);
  },
};

export const noHeaders: Option<Settings> = {
  long: "no-headers",
  description: "do not show a header line",
  apply: sets("headers", false),
};

/** Not in Ganeti. */
export const json: Option<Settings> = {
  long: "json",
  description: "print one JSON document instead of the text",
  apply: sets("json", true),
};

/** Not in Ganeti. */
export const view: Option<Settings> = {
  long: "view",
  description:
    "instead of the text, show problems, and every node with bars of memory, disk and CPU use",
  apply: sets("view", true),
};
