/** Output of `--help` for programs and commands, and the usage before a complaint about options. */
import type { Command, Option, Program } from "./command.js";
import { common } from "./options/shared.js";

const widthMax = 79;

/** The list of commands, as Ganeti's programs print it. */
export function programUsage({ name, commands }: Program): string[] {
  const width = Math.min(60, Math.max(...commands.map((command) => command.name.length)));
  return [
    `Usage: ${name} {command} [options...] [argument...]`,
    `${name} <command> --help to see details, or man ${name}`,
    "",
    "Commands:",
    ...commands
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((command) => {
        const [first = "", ...more] = wrapped(command.summary, widthMax - 3 - width);
        return [
          ` ${command.name.padEnd(width)} - ${first}`,
          ...more.map((line) => ` ${" ".repeat(width)}   ${line}`),
        ];
      }),
    "",
  ];
}

/** The usage before a complaint about the options. */
export const usageError = (program: string, command: Command, problem: string): string =>
  `Usage\n=====\n  ${usageLine(program, command)}\n\n${program}: error: ${problem}`;

const usageLine = (program: string, { name, usage }: Command): string =>
  `${program} ${name} ${usage}`;

/** `--help` of a command: its purpose, options and examples. */
export function commandHelp({ name: program }: Program, command: Command): string[] {
  return [
    ...titled("Usage"),
    `  ${usageLine(program, command)}`,
    "",
    ...wrapped(command.summary, widthMax),
    ...(command.aliases === undefined ? [] : ["", `Also called ${command.aliases.join(", ")}.`]),
    ...(command.options.length === 0
      ? []
      : ["", ...titled("Options"), ...command.options.flatMap(optionLines)]),
    "",
    ...titled("Examples"),
    ...Object.entries(command.examples).flatMap(([line, does]) => [`  ${line}`, `      ${does}`]),
    "",
    ...titled("Options of every command"),
    ...common.flatMap(optionLines),
    "--help, -h              Show this",
  ];
}

const titled = (title: string): string[] => [title, "=".repeat(title.length)];

const helpColumn = 24;

function optionLines(option: Option): string[] {
  const forms = optionForms(option);
  const [first = "", ...more] = wrapped(option.help, widthMax - helpColumn);
  const indented = more.map((line) => " ".repeat(helpColumn) + line);
  if (forms.length < helpColumn - 1) return [forms.padEnd(helpColumn) + first, ...indented];
  return [forms, " ".repeat(helpColumn) + first, ...indented];
}

/** `--output=FIELDS, -o FIELDS`. */
function optionForms(option: Option): string {
  const value = placeholderOf(option);
  const long = [option.name, ...(option.aliases ?? [])].map(
    (name) => `--${name}${value === undefined ? "" : `=${value}`}`,
  );
  const short = option.short === undefined ? [] : [`-${option.short}`];
  const shortValue = value === undefined ? "" : ` ${value}`;
  return [...long, ...short.map((one) => one + shortValue)].join(", ");
}

/** Undefined if the option takes no value. */
export function placeholderOf({ type, placeholder, name }: Option): string | undefined {
  if (type === "flag" || type === "count") return undefined;
  return placeholder ?? (type === "yes-no" ? "yes|no" : name.replace(/.*-/, "").toUpperCase());
}

/** Breaks at blanks so that no line is longer than `width`; longer words stay whole. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
