/** hinfo: its options, examples and what it does. */
import { ignoreDynu, mond, mondData, offline } from "../options/loading.js";
import { json, printInstances, printNodes, quiet, verbose, view } from "../options/output.js";
import { iallocSource, luxi, master, staticKvmNodeMemory, textData } from "../options/sources.js";
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
  extensions: [view, json],
  examples: [
    { words: "-L", meaning: "tell what the cluster is like this is the master of" },
    { words: "-t cluster.data", meaning: "… a saved cluster (hscan, hbal -S)" },
    { words: "--view -t cluster.data", meaning: "as something to look at" },
    { words: "-v -t cluster.data", meaning: "and its groups" },
    {
      words: "-p+plist,slist -t cluster.data",
      meaning: "and its nodes with the instances on them",
    },
    { words: "--json -t cluster.data", meaning: "everything, for programs" },
  ],
  operands: "",
  defaults: defaultSettings,
  run: runHinfo,
};
