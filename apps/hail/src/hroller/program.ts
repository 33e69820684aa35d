/** Definition of the program hroller: options, examples and entry function. */
import { group } from "../options/balancing.js";
import { offline } from "../options/loading.js";
import { json, noHeaders, quiet, save, verbose } from "../options/output.js";
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
  force,
  fullEvacuation,
  ignoreNonRedundant,
  nodeTags,
  offlineMaintenance,
  oneStepOnly,
  printMoves,
  skipNonRedundant,
} from "./options.js";
import { runHroller } from "./run.js";
import { type HrollerSettings, hrollerDefaults } from "./settings.js";

export const hroller: Program<HrollerSettings> = {
  name: "hroller",
  options: [
    luxi,
    master,
    textData,
    iallocSource,
    offline,
    offlineMaintenance,
    verbose,
    quiet,
    noHeaders,
    nodeTags,
    save,
    group,
    printMoves,
    fullEvacuation,
    skipNonRedundant,
    ignoreNonRedundant,
    force,
    oneStepOnly,
    staticKvmNodeMemory,
  ],
  extensions: [dataDir, json],
  examples: [
    { words: "-L", meaning: "group the nodes of the cluster for a rolling reboot" },
    { words: "-L --print-moves", meaning: "and say which instances without a mirror to move" },
    { words: "-L --full-evacuation --print-moves", meaning: "with every instance off the nodes" },
    { words: "-L --one-step-only -G default", meaning: "only the nodes of a group to begin with" },
    { words: "-t cluster.data --json", meaning: "groups and moves for a program" },
  ],
  operands: "",
  defaults: hrollerDefaults,
  run: runHroller,
};
