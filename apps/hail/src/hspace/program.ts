/** Definition of the program hspace: options, examples and entry function. */
import { maxLength, noCapacityChecks } from "../options/balancing.js";
import { maxCpu, minDisk, offline } from "../options/loading.js";
import { json, machineReadable, printNodes, quiet, save, verbose } from "../options/output.js";
import { html } from "../options/page.js";
import {
  dataDir,
  iallocSource,
  luxi,
  master,
  simulate,
  staticKvmNodeMemory,
  textData,
} from "../options/sources.js";
import type { Program } from "../program.js";
import {
  acceptExistingErrors,
  diskTemplate,
  independentGroups,
  spindleUse,
  standardAlloc,
  tieredAlloc,
} from "./options.js";
import { runHspace } from "./run.js";
import { type HspaceSettings, hspaceDefaults } from "./settings.js";

export const hspace: Program<HspaceSettings> = {
  name: "hspace",
  options: [
    printNodes,
    textData,
    diskTemplate,
    spindleUse,
    simulate,
    master,
    luxi,
    iallocSource,
    verbose,
    quiet,
    independentGroups,
    acceptExistingErrors,
    offline,
    noCapacityChecks,
    machineReadable,
    maxCpu,
    maxLength,
    minDisk,
    standardAlloc,
    tieredAlloc,
    save,
    staticKvmNodeMemory,
  ],
  extensions: [dataDir, json, html],
  examples: [
    {
      words: "-t cluster.data",
      meaning: "compute how many more instances fit on a saved cluster",
    },
    {
      words: "--simulate p,20,4t,256g,32 --disk-template drbd",
      meaning: "compute how many would fit on 20 empty nodes",
    },
  ],
  operands: "",
  defaults: hspaceDefaults,
  run: runHspace,
};
