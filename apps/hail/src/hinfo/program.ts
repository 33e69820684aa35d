/** hinfo: its options, examples and what it does. */
import { ignoreDynu, mond, mondData, offline } from "../options/loading.js";
import { json, printInstances, printNodes, quiet, verbose } from "../options/output.js";
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
  extensions: [json],
  examples: [{ words: "-t cluster.data", meaning: "tell what a saved cluster is like" }],
  operands: "",
  defaults: defaultSettings,
  run: runHinfo,
};
