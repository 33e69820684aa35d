/** hcheck: its options, examples and what it does. */
import {
  evacMode,
  ignoreSoftErrors,
  maxLength,
  minGain,
  minGainLimit,
  minScore,
  noCapacityChecks,
  noDiskMoves,
  noInstanceMoves,
} from "../options/balancing.js";
import {
  dynuFile,
  excludeInstances,
  exclusionTags,
  ignoreDynu,
  maxCpu,
  minDisk,
  offline,
  selectInstances,
} from "../options/loading.js";
import { json, machineReadable, quiet, verbose, view } from "../options/output.js";
import { iallocSource, luxi, master, textData } from "../options/sources.js";
import type { Program } from "../program.js";
import { runHcheck } from "./run.js";
import { type HcheckSettings, hcheckDefaults } from "./settings.js";

export const hcheck: Program<HcheckSettings> = {
  name: "hcheck",
  options: [
    textData,
    noDiskMoves,
    dynuFile,
    ignoreDynu,
    evacMode,
    excludeInstances,
    exclusionTags,
    iallocSource,
    noInstanceMoves,
    luxi,
    machineReadable,
    maxCpu,
    maxLength,
    minDisk,
    minGain,
    minGainLimit,
    minScore,
    ignoreSoftErrors,
    {
      long: "no-simulation",
      description: "do not perform rebalancing simulation",
      apply: (settings) => {
        settings.simulation = false;
      },
    },
    offline,
    quiet,
    master,
    selectInstances,
    noCapacityChecks,
    verbose,
  ],
  extensions: [view, json],
  examples: [
    { words: "-L", meaning: "check the cluster this is the master of" },
    { words: "-t cluster.data", meaning: "check a saved cluster" },
    {
      words: "--no-simulation -t cluster.data",
      meaning: "without looking what balancing would do",
    },
    { words: "--view -t cluster.data", meaning: "as something to look at" },
    { words: "--machine-readable -t cluster.data", meaning: "and tell it a shell script" },
  ],
  operands: "",
  defaults: hcheckDefaults,
  run: runHcheck,
};
