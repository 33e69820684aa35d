/** Definition of the program hinfo: options, examples and entry function. */
import { ignoreDynu, mond, mondData, offline } from "../options/loading.js";
import { json, printInstances, printNodes, quiet, verbose, view } from "../options/output.js";
import {
  dataDir,
  iallocSource,
  luxi,
  master,
  staticKvmNodeMemory,
  textData,
} from "../options/sources.js";
import type { Program } from "../program.js";
import { defaultSettings, type Settings } from "../settings.js";
import { runHinfo } from "./run.js";

export const hinfo: Program<Settings> = {
  name: "hinfo",
  options: [
    printNodes,
    printInstances,
    textData,
    master,
    luxi,
    iallocSource,
    verbose,
    quiet,
    offline,
    ignoreDynu,
    mond,
    mondData,
    staticKvmNodeMemory,
  ],
  extensions: [dataDir, view, json],
  examples: [
    { words: "-L", meaning: "describe the cluster of this master" },
    { words: "-t cluster.data", meaning: "describe a saved cluster (hscan, hbal -S)" },
    { words: "--view -t cluster.data", meaning: "show problems and utilisation bars" },
    { words: "-v -t cluster.data", meaning: "describe it with its groups" },
    {
      words: "-p+plist,slist -t cluster.data",
      meaning: "list its nodes with the instances on them",
    },
    { words: "--json -t cluster.data", meaning: "print everything as JSON" },
  ],
  operands: "",
  defaults: defaultSettings,
  run: runHinfo,
};
