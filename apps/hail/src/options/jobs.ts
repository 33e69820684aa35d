/** Options for printing the commands of a solution or executing it. */
import { type Option, reads, sets } from "../option.js";
import type { Settings } from "../settings.js";

export const printCommands: Option<Settings> = {
  short: "C",
  long: "print-commands",
  argument: { name: "FILE", optional: true },
  description:
    "print the ganeti command list for reaching the solution, if an argument is passed then " +
    "write the commands to a file named as such",
  apply: (settings, text = "-") => {
    settings.printCommands = text;
  },
};

export const exec: Option<Settings> = {
  short: "X",
  long: "exec",
  description:
    "execute the suggested moves via Luxi (only available when using it for data gathering)",
  apply: sets("execute", true),
};

export const reason: Option<Settings> = {
  long: "reason",
  argument: { name: "REASON" },
  description: "The reason to pass to the submitted jobs",
  apply: reads("reason", String),
};
