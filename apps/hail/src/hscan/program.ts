/** Definition of the program hscan: options, examples and entry function. */
import type { Option } from "../option.js";
import { json, noHeaders, printNodes, verbose } from "../options/output.js";
import { dataDir, luxi, staticKvmNodeMemory } from "../options/sources.js";
import type { Program } from "../program.js";
import { runHscan } from "./run.js";
import { type HscanSettings, hscanDefaults } from "./settings.js";

const outputDir: Option<HscanSettings> = {
  short: "d",
  long: "output-dir",
  argument: { name: "PATH" },
  completes: "dir",
  description: "directory in which to write output files",
  apply: (settings, text = "") => {
    settings.outputFolder = text;
  },
};

export const hscan: Program<HscanSettings> = {
  name: "hscan",
  options: [printNodes, outputDir, luxi, verbose, noHeaders, staticKvmNodeMemory],
  extensions: [dataDir, json],
  examples: [
    { words: "cluster.example.com", meaning: "save a cluster as cluster.example.com.data" },
    { words: "-L -d /var/tmp", meaning: "save the one this is the master of, as LOCAL.data" },
    { words: "-p a.example.com b.example.com", meaning: "two clusters, and their nodes" },
  ],
  operands: "host 0 none",
  defaults: hscanDefaults,
  run: runHscan,
};
