/** Options shared by many commands. */
import type { Option } from "../command.js";
import { flag, text } from "./kinds.js";

export const force: Option = {
  name: "force",
  short: "f",
  type: "flag",
  help: "Do not ask for confirmation",
};
export const confirm = flag("yes", "Do not ask for confirmation");
export const verbose: Option = {
  name: "verbose",
  short: "v",
  type: "flag",
  help: "Print more details",
};
export const dryRun = flag(
  "dry-run",
  "Only run the checks, and report whether the operation is possible",
);
const submitOnly = flag("submit", "Submit the job and print its id without waiting for its end");
const printJobId = flag("print-jobid", "Print the job's id first, on a line of its own");
export const priority: Option = {
  name: "priority",
  type: "text",
  choices: ["low", "normal", "high"],
  placeholder: "low|normal|high",
  help: "Priority of the job",
};
export const noHeaders = flag("no-headers", "Leave out the column titles");
const separator = text(
  "separator",
  "S",
  "Separate columns by this string instead of aligning them; sizes are in MiB",
);
export const units: Option = {
  name: "units",
  type: "text",
  choices: ["h", "m", "g", "t"],
  placeholder: "h|m|g|t",
  help: "Unit of sizes: h (readable), MiB, GiB or TiB",
};
export const output: Option = {
  name: "output",
  short: "o",
  type: "text",
  placeholder: "FIELDS",
  completes: "field",
  help: "Fields to show, separated by commas; +FIELDS adds to the default ones",
};
export const filter: Option = {
  name: "filter",
  short: "F",
  type: "flag",
  help: "Treat the argument as a filter in any case",
};
export const iallocator: Option = {
  name: "iallocator",
  short: "I",
  type: "text",
  placeholder: "<NAME>",
  completes: "allocator",
  help: "Allocator that chooses nodes; . is the cluster's default",
};
export const nodeGroup: Option = {
  name: "node-group",
  short: "g",
  type: "text",
  placeholder: "GROUP",
  completes: "group",
  help: "Restrict to this node group",
};
export const shutdownTimeout: Option = {
  name: "shutdown-timeout",
  type: "integer",
  placeholder: "SECONDS",
  help: "Time for an instance to shut down",
};
export const ignoreIpolicy = flag("ignore-ipolicy", "Ignore the instance policy");
export const tagsFrom: Option = {
  name: "from",
  type: "text",
  placeholder: "FILE",
  completes: "file",
  help: "Read tags from this file, one per line; - is standard input",
};

// The marks of the table of commands.

/** S */
export const submitting: readonly Option[] = [submitOnly, printJobId];
/** H */
export const wide = flag("wide", "Show all default columns, even if the terminal is too narrow");

export const headers: readonly Option[] = [noHeaders, separator];

/** Options of every command. */
export const common: readonly Option[] = [
  { name: "debug", short: "d", type: "count", help: "Print more details of errors; repeatable" },
  { name: "reason", type: "text", help: "Reason for the operation, recorded with its jobs" },
  flag("json", "Print one JSON document"),
  {
    name: "color",
    aliases: ["colour"],
    type: "text",
    placeholder: "auto|always|never",
    choices: ["auto", "always", "never"],
    help: "Use of colours; auto: on a terminal, unless $NO_COLOR is set",
  },
  {
    name: "url",
    type: "text",
    placeholder: "URL",
    completes: "host",
    help: "Use the remote API at this address, which may be Ganeti's ($GANETI_RAPI_URL), instead of this machine's server",
  },
  text("user", "NAME", "User of the remote API ($GANETI_RAPI_USER)"),
  {
    name: "password-file",
    type: "text",
    placeholder: "FILE",
    completes: "file",
    help: "File with the password in its first line (or $GANETI_RAPI_PASSWORD)",
  },
  {
    name: "ca",
    type: "text",
    placeholder: "FILE",
    completes: "file",
    help: "Further certificates to trust ($GANETI_RAPI_CA)",
  },
  flag("insecure", "Trust any server: insecure on networks"),
  {
    name: "data-dir",
    type: "text",
    placeholder: "DIRECTORY",
    completes: "directory",
    help: "Data directory of this machine's server ($GANETI_TS_DATA)",
  },
];
