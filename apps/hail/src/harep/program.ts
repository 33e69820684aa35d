/** Definition of the program harep: options, examples and entry function. */
import { readFloat } from "@ganeti-ts/htools";
import type { Option } from "../option.js";
import { reason } from "../options/jobs.js";
import { json } from "../options/output.js";
import { dataDir, luxi } from "../options/sources.js";
import type { Program } from "../program.js";
import { runHarep } from "./run.js";
import { type HarepSettings, harepDefaults } from "./settings.js";

const jobDelay: Option<HarepSettings> = {
  long: "job-delay",
  argument: { name: "SECONDS" },
  completes: "float",
  description:
    "insert this much delay before the execution of repair jobs to allow the tool to continue " +
    "processing instances",
  apply: (settings, text = "") => {
    settings.jobDelaySeconds = readFloat(text, "job delay");
  },
};

const dryRun: Option<HarepSettings> = {
  long: "dry-run",
  description: "do not execute any commands and just report what would be done",
  apply: (settings) => {
    settings.dryRun = true;
  },
};

const storage: Option<HarepSettings> = {
  long: "storage",
  description:
    "also repair lost copies of disks on nodes that are online, and close or repair the storage " +
    "they were on; implies --explain",
  apply: (settings) => {
    settings.storage = true;
    settings.explain = true;
  },
};

const explain: Option<HarepSettings> = {
  long: "explain",
  description: "print the reason of each repair, and record it in the reason trail of its job",
  apply: (settings) => {
    settings.explain = true;
  },
};

export const harep: Program<HarepSettings> = {
  name: "harep",
  options: [luxi, jobDelay, reason, dryRun],
  extensions: [dataDir, explain, json, storage],
  examples: [
    { words: "--dry-run", meaning: "show what would be repaired on the cluster of this master" },
    { words: "--storage --dry-run", meaning: "show what failing disks would lead to, and why" },
    { words: "--reason 'night shift'", meaning: "repair what the tags allow" },
  ],
  operands: "",
  refusesOperands: "this program doesn't take any arguments.",
  defaults: harepDefaults,
  run: runHarep,
};
