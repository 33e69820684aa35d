/** Options for loading the cluster and for changing its nodes afterwards. */
import { DataError, readFloat } from "@ganeti-ts/htools";
import { type Option, reads, sets } from "../option.js";
import { commaList, yesOrNo } from "../option-values.js";
import type { Settings } from "../settings.js";

export const offline: Option<Settings> = {
  short: "O",
  long: "offline",
  argument: { name: "NODE" },
  completes: "onenode",
  description: "set node as offline",
  apply: (settings, text = "") => {
    settings.offline = [...settings.offline, text];
  },
};

export const maxCpu: Option<Settings> = {
  long: "max-cpu",
  argument: { name: "RATIO" },
  completes: "float",
  description:
    "maximum virtual-to-physical cpu ratio for nodes (from 0 upwards) [default read from cluster]",
  apply: (settings, text = "") => {
    const ratio = readFloat(text, "parsing max-cpu");
    if (ratio <= 0) throw new DataError("Invalid value of the max-cpu ratio, expected >0");
    settings.vcpuRatio = ratio;
  },
};

export const minDisk: Option<Settings> = {
  long: "min-disk",
  argument: { name: "RATIO" },
  completes: "float",
  description: "minimum free disk space for nodes (between 0 and 1) [0]",
  apply: reads("reservedDiskRatio", (text) => readFloat(text, "min free disk space")),
};

export const dynuFile: Option<Settings> = {
  short: "U",
  long: "dynu-file",
  argument: { name: "FILE" },
  completes: "file",
  description: "Import dynamic utilisation data from the given FILE",
  apply: reads("utilisationFile", String),
};

export const ignoreDynu: Option<Settings> = {
  long: "ignore-dynu",
  description: "Ignore any dynamic utilisation information",
  apply: sets("ignoreUtilisation", true),
};

export const mond: Option<Settings> = {
  long: "mond",
  argument: { name: "CHOICE", optional: true },
  completes: "choices=yes,no",
  description: "pass either 'yes' or 'no' to query all monDs",
  apply: (settings, text) => {
    settings.mond = yesOrNo(text);
  },
};

export const mondData: Option<Settings> = {
  long: "mond-data",
  argument: { name: "FILE" },
  completes: "file",
  description: "Import data provided by MonDs from the given FILE",
  apply: reads("mondData", String),
};

export const mondXen: Option<Settings> = {
  long: "mond-xen",
  description: "also consider xen-specific collectors in MonD queries",
  apply: sets("mondXen", true),
};

export const exitOnMissingMondData: Option<Settings> = {
  long: "exit-on-missing-mond-data",
  description: "abort if the data available from the monitoring daemons is incomplete",
  apply: sets("mondRequired", true),
};

export const exclusionTags: Option<Settings> = {
  long: "exclusion-tags",
  argument: { name: "TAG,..." },
  completes: "string",
  description: "Enable instance exclusion based on given tag prefix",
  apply: reads("exclusionPrefixes", commaList),
};

export const selectInstances: Option<Settings> = {
  long: "select-instances",
  argument: { name: "INSTS" },
  completes: "manyinstances",
  description: "only select given instances for any moves",
  apply: reads("selectInstances", commaList),
};

export const excludeInstances: Option<Settings> = {
  long: "exclude-instances",
  argument: { name: "INSTS" },
  completes: "manyinstances",
  description: "exclude given instances from any moves",
  apply: reads("excludeInstances", commaList),
};
