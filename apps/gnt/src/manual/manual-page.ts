/** Manual page of a program, in man's markup. */
import { manualExample, manualHead, manualItem, manualText } from "@ganeti-ts/command-line";
import type { Command, Option, Program } from "../command.js";
import { common } from "../options/shared.js";
import { placeholderOf } from "../usage.js";

export function manualPage({ name, summary, commands }: Program, version: string): string {
  return [
    ...manualHead({ name, section: 8, summary, version }),
    ".SH SYNOPSIS",
    `.B ${manualText(name)}`,
    "{\\fIcommand\\fR} [\\fIoptions\\fR...] [\\fIargument\\fR...]",
    ".SH COMMANDS",
    ...commands.toSorted((a, b) => (a.name < b.name ? -1 : 1)).flatMap(commandSection),
    ".SH OPTIONS OF EVERY COMMAND",
    ...common.flatMap(optionItem),
    ...manualItem("\\fB\\-\\-help\\fR, \\fB\\-h\\fR", "Explain the command"),
    ".SH ENVIRONMENT",
    ...environment.flatMap(([variable, text]) => manualItem(`\\fB${variable}\\fR`, text)),
    ".SH EXIT STATUS",
    ...exitCodes.flatMap(([code, text]) => manualItem(`\\fB${code}\\fR`, text)),
    ".SH SEE ALSO",
    "The other programs of an administrator begin with gnt\\-; \\fBgnt\\fR is all of them in one.",
    "",
  ].join("\n");
}

function commandSection({ name, aliases = [], usage, summary, options, examples }: Command) {
  return [
    `.SS ${manualText(name)}`,
    `\\fB${manualText(name)}\\fR ${manualText(usage)}`,
    ".PP",
    `${manualText(summary)}${aliases.length > 0 ? ` Also called ${manualText(aliases.join(", "))}.` : ""}`,
    ...options.flatMap(optionItem),
    ...[".PP", "Examples:"],
    ...Object.entries(examples).flatMap(([line, does]) => manualExample(line, does)),
  ];
}

function optionItem(option: Option): string[] {
  const value = placeholderOf(option);
  const long = [option.name, ...(option.aliases ?? [])].map(
    (name) =>
      `\\fB${manualText(`--${name}`)}\\fR${value === undefined ? "" : `=\\fI${manualText(value)}\\fR`}`,
  );
  const short =
    option.short === undefined
      ? []
      : [
          `\\fB${manualText(`-${option.short}`)}\\fR${value === undefined ? "" : ` \\fI${manualText(value)}\\fR`}`,
        ];
  return manualItem([...long, ...short].join(", "), option.help);
}

const environment: readonly (readonly [string, string])[] = [
  ["GANETI_TS_DATA", "Where the server of this machine keeps its data, and its socket"],
  ["GANETI_RAPI_URL", "The remote API to use instead of this machine's server"],
  ["GANETI_RAPI_USER, GANETI_RAPI_PASSWORD", "Who one is there"],
  ["GANETI_RAPI_CA", "A file with certificates to trust there"],
  [
    "GNT_INSTANCE_LIST, GNT_NODE_LIST, GNT_GROUP_LIST",
    "Default arguments of the command list of that program",
  ],
  ["NO_COLOR", "No colours on the terminal, unless --color=always"],
];

const exitCodes: readonly (readonly [string, string])[] = [
  ["0", "Done"],
  ["1", "Failed, or the answer to a question was no"],
  ["2", "The command line is wrong"],
  ["12", "A node could not be set up"],
  ["13", "The answer to a question about several things was no"],
  ["14", "A field was asked for that there is not"],
];
