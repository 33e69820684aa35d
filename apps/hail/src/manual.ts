/** The manual page of a program of htools, from the data that its help is made of. */
import { manualExample, manualHead, manualItem, manualText } from "@ganeti-ts/command-line";
import type { CommandLineProgram, Option } from "./option.js";
import { programs } from "./programs.js";

export function manualPage(
  program: CommandLineProgram<never>,
  { summary, version }: { readonly summary: string; readonly version: string },
): string {
  const { name, options, extensions, examples, operands } = program;
  return [
    ...manualHead({ name, section: 1, summary, version }),
    ".SH SYNOPSIS",
    `.B ${manualText(name)}`,
    `[\\fIoptions\\fR...]${operands === "" ? "" : " [\\fIoperand\\fR...]"}`,
    ".SH OPTIONS",
    ...options.flatMap(optionItem),
    ".SH OPTIONS BEYOND GANETI'S",
    ...extensions.flatMap(optionItem),
    ".SH EXAMPLES",
    ...examples.flatMap(({ words, meaning }) => manualExample(`${name} ${words}`, meaning)),
    ".SH EXIT STATUS",
    ...exitCodes.flatMap(([code, text]) => manualItem(`\\fB${code}\\fR`, text)),
    ".SH SEE ALSO",
    `${others(name)}; the manual of Ganeti's program of this name describes algorithms and files.`,
    "",
  ].join("\n");
}

/** The page of the one executable that is all programs. */
export const htoolsPage = (
  summaries: ReadonlyMap<string, { readonly description: string }>,
  version: string,
): string =>
  [
    ...manualHead({
      name: "htools",
      section: 1,
      summary: "all programs of htools in one",
      version,
    }),
    ".SH SYNOPSIS",
    ".B htools",
    "\\fIprogram\\fR [\\fIoptions\\fR...] [\\fIoperand\\fR...]",
    ".PP",
    "The program is the first word, the value of the environment variable HTOOLS, or the name of the executable.",
    ".SH PROGRAMS",
    ...[...summaries].flatMap(([name, { description }]) =>
      manualItem(`\\fB${manualText(name)}\\fR(1)`, description),
    ),
    "",
  ].join("\n");

function optionItem({ short, long, argument, description }: Option<never>): string[] {
  const value = argument && `\\fI${manualText(argument.name)}\\fR`;
  const behind = (required: string, optional: string) => {
    if (value === undefined) return "";
    return argument?.optional ? `[${optional}${value}]` : `${required}${value}`;
  };
  const names = [
    ...(short ? [`\\fB\\-${manualText(short)}\\fR${behind(" ", "")}`] : []),
    `\\fB${manualText(`--${long}`)}\\fR${behind("=", "=")}`,
  ];
  return manualItem(names.join(", "), description);
}

const others = (own: string): string =>
  [...programs.keys()]
    .sort()
    .filter((name) => name !== own)
    .map((name) => `\\fB${name}\\fR(1)`)
    .join(", ");

const exitCodes = [
  ["0", "Done"],
  ["1", "Failed: the data cannot be read, or what was asked for cannot be done"],
  ["2", "The command line is wrong"],
] as const;
