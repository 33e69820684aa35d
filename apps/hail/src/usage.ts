/** Usage text of a program's options, and the option list that completion scripts read. */
import type { CommandLineProgram, Option } from "./option.js";
import { ganetiVersion } from "./version.js";

/** The usage text of Ganeti's program, byte for byte, followed by our options. */
export function usageText(program: CommandLineProgram<never>): string {
  const { name, options, extensions, examples } = program;
  const width = Math.max(...examples.map(({ words }) => words.length));
  const exampleRows = examples.map(
    ({ words, meaning }) => `  ${name} ${words.padEnd(width)}  ${meaning}\n`,
  );
  return `${name} ${ganetiVersion}
Usage: ${name} [OPTION...]
${optionRows(options)}
Beyond Ganeti's ${name}:
${optionRows(extensions)}
Examples:
${exampleRows.join("")}`;
}

/** One row per option; both columns of names are as wide as their widest entry. */
export function optionRows(options: readonly Option<never>[]): string {
  const rows = options.map((option) => ({
    short: option.short ? `-${option.short}${argumentText(option, " ", "")}` : "",
    long: `--${option.long}${argumentText(option, "=", "=")}`,
    description: option.description,
  }));
  const shortWidth = Math.max(...rows.map(({ short }) => short.length));
  const longWidth = Math.max(...rows.map(({ long }) => long.length));
  const texts = rows.map(
    ({ short, long, description }) =>
      `  ${short.padEnd(shortWidth)}  ${long.padEnd(longWidth)}  ${description}\n`,
  );
  return texts.join("");
}

/** Notation of the argument: ` FILE`, `=FILE`, `[FIELDS]`, `[=FIELDS]` or empty. */
function argumentText({ argument }: Option<never>, ifRequired: string, ifOptional: string): string {
  if (!argument) return "";
  return argument.optional ? `[${ifOptional}${argument.name}]` : ifRequired + argument.name;
}

/** One line per option: its names and the kind of its argument. */
export function completionLines(options: readonly Option<never>[]): string {
  const lines = options.map(({ short, long, completes }) => {
    const names = short ? `-${short},--${long}` : `--${long}`;
    return `${names} ${completes ?? "none"}\n`;
  });
  return lines.join("");
}
