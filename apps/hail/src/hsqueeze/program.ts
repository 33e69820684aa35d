/** Definition of the program hsqueeze: options, examples and entry function. */
import { exec, printCommands } from "../options/jobs.js";
import { json, noHeaders, save, verbose } from "../options/output.js";
import { dataDir, luxi, staticKvmNodeMemory, textData } from "../options/sources.js";
import type { Program } from "../program.js";
import { minimalResources, targetResources } from "./options.js";
import { runHsqueeze } from "./run.js";
import { type HsqueezeSettings, hsqueezeDefaults } from "./settings.js";

export const hsqueeze: Program<HsqueezeSettings> = {
  name: "hsqueeze",
  options: [
    luxi,
    textData,
    exec,
    minimalResources,
    targetResources,
    save,
    printCommands,
    verbose,
    noHeaders,
    staticKvmNodeMemory,
  ],
  extensions: [dataDir, json],
  examples: [
    { words: "-L", meaning: "tell which nodes could be switched off, or must come back" },
    { words: "-L -C", meaning: "and the commands that do it" },
    { words: "-L -X", meaning: "balance it" },
    { words: "-L --target-resources=4", meaning: "and leave every node more room" },
    { words: "-t cluster.data -S state", meaning: "and keep state.original and state.squeezed" },
  ],
  operands: "",
  defaults: hsqueezeDefaults,
  run: runHsqueeze,
};
