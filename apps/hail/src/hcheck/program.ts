/** Definition of the program hcheck: options, examples and entry function. */
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
import { dataDir, iallocSource, luxi, master, textData } from "../options/sources.js";
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
  extensions: [dataDir, view, json],
  examples: [
    { words: "-L", meaning: "check the cluster of this master" },
    { words: "-t cluster.data", meaning: "check a saved cluster" },
    {
      words: "--no-simulation -t cluster.data",
      meaning: "check without simulating balancing",
    },
    { words: "--view -t cluster.data", meaning: "show problems and utilisation bars" },
    { words: "--machine-readable -t cluster.data", meaning: "print variables for a shell script" },
  ],
  operands: "",
  defaults: hcheckDefaults,
  run: runHcheck,
};
