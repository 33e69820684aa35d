/** Options shared by many commands. */
import type { Option } from "../command.js";
import { flag, integer, text } from "./kinds.js";

export const force = flag("force", "Do not ask for confirmation", { short: "f" });
export const confirm = flag("yes", "Do not ask for confirmation");
export const verbose = flag("verbose", "Print more details", { short: "v" });
export const dryRun = flag(
  "dry-run",
  "Only run the checks, and report whether the operation is possible",
);
const submitOnly = flag("submit", "Submit the job and print its id without waiting for its end");
const printJobId = flag("print-jobid", "Print the job's id first, on a line of its own");
export const priority = text("priority", "low|normal|high", "Priority of the job", {
  choices: ["low", "normal", "high"],
});
export const noHeaders = flag("no-headers", "Leave out the column titles");
const separator = text(
  "separator",
  "S",
  "Separate columns by this string instead of aligning them; sizes are in MiB",
);
export const units = text("units", "h|m|g|t", "Unit of sizes: h (readable), MiB, GiB or TiB", {
  choices: ["h", "m", "g", "t"],
});
export const output = text(
  "output",
  "FIELDS",
  "Fields to show, separated by commas; +FIELDS adds to the default ones",
  { short: "o", completes: "field" },
);
export const filter = flag("filter", "Treat the argument as a filter in any case", {
  short: "F",
});
export const iallocator = text(
  "iallocator",
  "<NAME>",
  "Allocator that chooses nodes; . is the cluster's default",
  { short: "I", completes: "allocator" },
);
export const nodeGroup = text("node-group", "GROUP", "Restrict to this node group", {
  short: "g",
  completes: "group",
});
export const shutdownTimeout = integer("shutdown-timeout", "Time for an instance to shut down", {
  placeholder: "SECONDS",
});
export const ignoreIpolicy = flag("ignore-ipolicy", "Ignore the instance policy");
export const tagsFrom = text(
  "from",
  "FILE",
  "Read tags from this file, one per line; - is standard input",
  { completes: "file" },
);

// The marks of the table of commands.

/** S */
export const submitting: readonly Option[] = [submitOnly, printJobId];
/** H */
export const wide = flag("wide", "Show all default columns, even if the terminal is too narrow");

export const headers: readonly Option[] = [noHeaders, separator];

/** Options of every command. */
export const common: readonly Option[] = [
  { name: "debug", short: "d", type: "count", help: "Print more details of errors; repeatable" },
  text("reason", "REASON", "Reason for the operation, recorded with its jobs"),
  flag("json", "Print one JSON document"),
  text(
    "color",
    "auto|always|never",
    "Use of colours; auto: on a terminal, unless $NO_COLOR is set",
    { aliases: ["colour"], choices: ["auto", "always", "never"] },
  ),
  text(
    "url",
    "URL",
    "Use the remote API at this address, which may be Ganeti's ($GANETI_RAPI_URL), instead of this machine's server",
    { completes: "host" },
  ),
  text("user", "NAME", "User of the remote API ($GANETI_RAPI_USER)"),
  text(
    "password-file",
    "FILE",
    "File with the password in its first line (or $GANETI_RAPI_PASSWORD)",
    { completes: "file" },
  ),
  text("ca", "FILE", "Further certificates to trust ($GANETI_RAPI_CA)", { completes: "file" }),
  flag("insecure", "Trust any server: insecure on networks"),
  text("data-dir", "DIRECTORY", "Data directory of this machine's server ($GANETI_TS_DATA)", {
    completes: "directory",
  }),
];
