/** Command line parsing: settings, or the text to print instead of running. */
import { DataError } from "@ganeti-ts/htools";
import { getopt } from "./getopt.js";
import type { CommandLineProgram, Option } from "./option.js";
import { choice } from "./option-values.js";
import { completionScript, type Shell, shells } from "./shell-completion.js";
import { completionLines, usageText } from "./usage.js";
import { version } from "./version.js";

/**
 * `run`: carry on with the settings. `print`: help, version or a list was requested. `refuse`: wrong usage;
 * the text goes to stderr.
 */
export type CommandLine =
  | { readonly kind: "run"; readonly operands: readonly string[] }
  | { readonly kind: "print"; readonly text: string }
  | { readonly kind: "refuse"; readonly text: string; readonly exitCode: 1 | 2 };

/**
 * Fills in `settings`.
 *
 * Words are parsed first (all faults are reported; exit code 2), then values are read from left to right (the
 * first bad one is reported; exit code 1), and last come options that print a text instead of running the
 * program.
 */
export function readCommandLine<Settings>(
  program: CommandLineProgram<Settings>,
  argv: readonly string[],
  settings: Settings,
): CommandLine {
  const asked: Asked = {};
  const options = [...program.options, ...askingOptions(asked)];
  const extensions = [...program.extensions, completionOption(asked)];
  const complete = { ...program, options, extensions };

  const { occurrences, operands, faults } = getopt(argv, options, extensions);
  if (faults.length > 0) {
    const text = `Command line error: ${faults.join("")}\n${usageText(complete)}`;
    return { kind: "refuse", text, exitCode: 2 };
  }
  try {
    for (const { option, text } of occurrences) option.apply(settings, text);
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    const text = `Error while parsing command line arguments:\n${error.message}\n`;
    return { kind: "refuse", text, exitCode: 1 };
  }
  const text = askedText(asked, complete);
  return text === undefined ? { kind: "run", operands } : { kind: "print", text };
}

/** Texts requested on the command line; each option sets its own field. */
interface Asked {
  help?: true;
  version?: true;
  completionList?: true;
  shell?: Shell;
}

/** The first of these wins, whatever their order on the command line. */
function askedText(asked: Asked, program: CommandLineProgram<never>): string | undefined {
  if (asked.help) return usageText(program);
  if (asked.version) return `${program.name} ${version}\n`;
  const options = [...program.options, ...program.extensions];
  const operands = program.operands && `${program.operands}\n`;
  if (asked.completionList) return completionLines(options) + operands;
  return asked.shell && completionScript(asked.shell, program.name, options);
}

const askingOptions = (asked: Asked): Option<unknown>[] => [
  {
    short: "V",
    long: "version",
    description: "show the version of the program",
    apply: () => {
      asked.version = true;
    },
  },
  {
    short: "h",
    long: "help",
    description: "show help",
    apply: () => {
      asked.help = true;
    },
  },
  {
    long: "help-completion",
    description: "show completion info",
    apply: () => {
      asked.completionList = true;
    },
  },
];

const completionOption = (asked: Asked): Option<unknown> => ({
  long: "completion",
  argument: { name: "SHELL" },
  completes: `choices=${shells.join(",")}`,
  description: "print a completion script for bash, zsh or fish",
  apply: (_, text) => {
    asked.shell = choice(text, shells);
  },
});
