/** Options shared by many commands. */
import type { Option } from "../command.js";

export const force: Option = {
  name: "force",
  short: "f",
  type: "flag",
  help: "Do it without asking",
};
export const confirm: Option = {
  name: "yes",
  type: "flag",
  help: "Do not ask for confirmation",
};
export const verbose: Option = {
  name: "verbose",
  short: "v",
  type: "flag",
  help: "Say more",
};
export const dryRun: Option = {
  name: "dry-run",
  type: "flag",
  help: "Only run the checks, and say whether it could be done",
};
const submitOnly: Option = {
  name: "submit",
  type: "flag",
  help: "Submit the job, print its id, do not wait for it",
};
const printJobId: Option = {
  name: "print-jobid",
  type: "flag",
  help: "Print the job's id first, alone on its line",
};
export const priority: Option = {
  name: "priority",
  type: "text",
  choices: ["low", "normal", "high"],
  placeholder: "low|normal|high",
  help: "When it is the job's turn",
};
export const noHeaders: Option = {
  name: "no-headers",
  type: "flag",
  help: "No line of titles",
};
const separator: Option = {
  name: "separator",
  type: "text",
  placeholder: "S",
  help: "Put this between columns instead of aligning them; sizes in MiB",
};
export const units: Option = {
  name: "units",
  type: "text",
  choices: ["h", "m", "g", "t"],
  placeholder: "h|m|g|t",
  help: "Sizes in MiB, GiB or TiB, or each as it suits people",
};
export const output: Option = {
  name: "output",
  short: "o",
  type: "text",
  placeholder: "FIELDS",
  completes: "field",
  help: "Fields to show, with commas; +FIELDS: beside the usual ones",
};
export const filter: Option = {
  name: "filter",
  short: "F",
  type: "flag",
  help: "The argument is a filter, whatever it looks like",
};
export const iallocator: Option = {
  name: "iallocator",
  short: "I",
  type: "text",
  placeholder: "<NAME>",
  completes: "allocator",
  help: "Let this allocator choose nodes; . is the cluster's own",
};
export const nodeGroup: Option = {
  name: "node-group",
  short: "g",
  type: "text",
  placeholder: "GROUP",
  completes: "group",
  help: "Within this node group",
};
export const shutdownTimeout: Option = {
  name: "shutdown-timeout",
  type: "integer",
  placeholder: "SECONDS",
  help: "How long an instance gets to shut down",
};
export const ignoreIpolicy: Option = {
  name: "ignore-ipolicy",
  type: "flag",
  help: "Whatever the instance policy says",
};
export const tagsFrom: Option = {
  name: "from",
  type: "text",
  placeholder: "FILE",
  completes: "file",
  help: "Read tags from this file, one a line; -: from standard input",
};

// The marks of the table of commands.

/** S */
export const submitting: readonly Option[] = [submitOnly, printJobId];
/** H */
export const wide: Option = {
  name: "wide",
  type: "flag",
  help: "Show all usual columns, even where the terminal is too narrow for them",
};

export const headers: readonly Option[] = [noHeaders, separator];

/** Options of every command. */
export const common: readonly Option[] = [
  { name: "debug", short: "d", type: "count", help: "Say more about what goes wrong; repeatable" },
  { name: "reason", type: "text", help: "Why: kept in the jobs' trail of reasons" },
  { name: "json", type: "flag", help: "Print one JSON document" },
  {
    name: "color",
    aliases: ["colour"],
    type: "text",
    placeholder: "auto|always|never",
    choices: ["auto", "always", "never"],
    help: "Colours: auto is on a terminal, without $NO_COLOR",
  },
  {
    name: "url",
    type: "text",
    placeholder: "URL",
    completes: "host",
    help: "Use the RAPI there, of Ganeti too ($GANETI_RAPI_URL), not this machine's server",
  },
  {
    name: "user",
    type: "text",
    placeholder: "NAME",
    help: "Who one is there ($GANETI_RAPI_USER)",
  },
  {
    name: "password-file",
    type: "text",
    placeholder: "FILE",
    completes: "file",
    help: "Its first line is the password (or $GANETI_RAPI_PASSWORD)",
  },
  {
    name: "ca",
    type: "text",
    placeholder: "FILE",
    completes: "file",
    help: "Trust these certificates too ($GANETI_RAPI_CA)",
  },
  { name: "insecure", type: "flag", help: "Trust whoever answers: not for networks" },
  {
    name: "data-dir",
    type: "text",
    placeholder: "DIRECTORY",
    completes: "directory",
    help: "Of this machine's server ($GANETI_TS_DATA)",
  },
];
