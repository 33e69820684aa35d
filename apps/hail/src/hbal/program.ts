/** Definition of the program hbal: options, examples and entry function. */
import {
  evacMode,
  group,
  ignoreSoftErrors,
  maxLength,
  minGain,
  minGainLimit,
  minScore,
  noDiskMoves,
  noInstanceMoves,
} from "../options/balancing.js";
import { exec, printCommands, reason } from "../options/jobs.js";
import {
  dynuFile,
  excludeInstances,
  exclusionTags,
  exitOnMissingMondData,
  ignoreDynu,
  maxCpu,
  minDisk,
  mond,
  mondData,
  mondXen,
  offline,
  selectInstances,
} from "../options/loading.js";
import { json, printInstances, printNodes, quiet, save, verbose } from "../options/output.js";
import { html } from "../options/page.js";
import {
  dataDir,
  iallocSource,
  luxi,
  master,
  staticKvmNodeMemory,
  textData,
} from "../options/sources.js";
import type { Program } from "../program.js";
import {
  explain,
  firstJobGroup,
  preferForthcoming,
  priority,
  restrictedMigration,
} from "./options.js";
import { runHbal } from "./run.js";
import { type HbalSettings, hbalDefaults } from "./settings.js";

export const hbal: Program<HbalSettings> = {
  name: "hbal",
  options: [
    printNodes,
    printInstances,
    printCommands,
    textData,
    evacMode,
    restrictedMigration,
    master,
    luxi,
    iallocSource,
    exec,
    firstJobGroup,
    reason,
    group,
    maxLength,
    verbose,
    quiet,
    offline,
    staticKvmNodeMemory,
    minScore,
    maxCpu,
    minDisk,
    minGain,
    minGainLimit,
    noDiskMoves,
    selectInstances,
    noInstanceMoves,
    ignoreSoftErrors,
    dynuFile,
    ignoreDynu,
    mond,
    mondData,
    exitOnMissingMondData,
    mondXen,
    exclusionTags,
    excludeInstances,
    save,
    priority,
  ],
  extensions: [dataDir, preferForthcoming, explain, json, html],
  examples: [
    { words: "-L", meaning: "show how to balance the cluster of this master" },
    { words: "-L -X", meaning: "balance it" },
    { words: "-t cluster.data -C", meaning: "list the commands for a saved cluster" },
    { words: "-t cluster.data --explain", meaning: "explain the effect of every step" },
  ],
  operands: "",
  defaults: hbalDefaults,
  run: runHbal,
};
