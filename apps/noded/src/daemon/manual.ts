/** The manual page of ganeti-ts-noded, from the text that `--help` prints. */
import { manualExample, manualHead, manualItem, manualText } from "@ganeti-ts/command-line";
import { usage } from "./options.js";

const files: readonly (readonly [path: string, contents: string])[] = [
  [
    "/var/lib/ganeti/server.pem",
    "key and certificate of the cluster; without it the daemon does not start",
  ],
  [
    "/var/lib/ganeti/ssconf_master_candidates_certs",
    "digests of the certificates that may call the daemon",
  ],
  [
    "/etc/ganeti/file-storage-paths",
    "directories below which disks in files are allowed, one per line",
  ],
  ["/var/run/ganeti/ganeti-ts-noded.pid", "its process; locked while it runs"],
  ["/var/log/ganeti/node-daemon.log", "its log, opened again on SIGHUP"],
  [
    "programs/, os-definitions/, import-export.js",
    "beside the daemon: what it starts, and OS definitions shipped with it",
  ],
];

/** `version` is shown at the foot. */
export function manualPage(version: string): string {
  const [before = "", after = ""] = usage.split("\nExamples:\n");
  const [first = "", ...lines] = before.split("\n");
  const summary = "carries out the node calls of a Ganeti cluster";
  return [
    ...manualHead({ name: "ganeti-ts-noded", section: 8, summary, version }),
    ".SH SYNOPSIS",
    manualText(first.replace(/^Usage: /, "")),
    ".SH DESCRIPTION",
    ...lines.filter((line) => /^\S/.test(line)).map(manualText),
    ".SH OPTIONS",
    ...optionRows(lines).flatMap(([form, help]) => manualItem(`\\fB${manualText(form)}\\fR`, help)),
    ".SH FILES",
    ...files.flatMap(([path, contents]) => manualItem(`\\fI${manualText(path)}\\fR`, contents)),
    ".SH EXAMPLES",
    ...exampleRows(after.split("\n")).flatMap(([line, remark]) => manualExample(line, remark)),
    ".SH SEE ALSO",
    "\\fBgnt\\-cluster\\fR(8), \\fBgnt\\-node\\fR(8), \\fBganeti\\-rapi\\fR(8)",
    "",
  ].join("\n");
}

type Row = readonly [form: string, help: string];

/** `  -p PORT    help`. */
const optionRows = (lines: readonly string[]): readonly Row[] =>
  lines.flatMap((line): Row[] => {
    const [, form, help = ""] = /^ {2}(-.*?)(?: {2,}(.*))?$/.exec(line) ?? [];
    return form === undefined ? [] : [[form, help]];
  });

/** A command line and the remark below it, which is indented further. A line without one gets an empty remark. */
const exampleRows = (lines: readonly string[]): readonly Row[] =>
  lines.flatMap((line, index): Row[] => {
    if (!/^ {2}\S/.test(line)) return [];
    const next = lines[index + 1] ?? "";
    return [[line.trim(), /^ {4}/.test(next) ? next.trim() : ""]];
  });
