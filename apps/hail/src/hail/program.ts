/** Definition of the program hail: options, examples and entry function. */
import type { Program } from "../program.js";
import { examples, extensions, options } from "./options.js";
import { runHail } from "./run.js";
import { type HailSettings, hailDefaults } from "./settings.js";

export const hail: Program<HailSettings> = {
  name: "hail",
  options,
  extensions,
  examples,
  operands: "file 1 1",
  defaults: hailDefaults,
  run: runHail,
};
