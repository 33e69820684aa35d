/** Command lines as commands get them. */
import type { Command, Program } from "../src/command.js";
import type { OptionValues } from "../src/invocation.js";
import { common } from "../src/options/shared.js";
import { type Parsed, parse } from "../src/parsing/option-values.js";
import { shellWords } from "../src/parsing/shell-words.js";

const commandOf = ({ name: program, commands }: Program, name: string): Command => {
  const found = commands.find((one) => one.name === name);
  if (found === undefined) throw new Error(`${program} has no command ${name}`);
  return found;
};

/** The options that `gnt-x name …words` has. */
export const optionsOf = (program: Program, name: string, words: readonly string[]): OptionValues =>
  parse(words, [...commandOf(program, name).options, ...common]).options;

/** Arguments and options of what follows the name of the command, read as a shell would. */
export const given = (program: Program, name: string, line: string): Parsed =>
  parse(shellWords(line), [...commandOf(program, name).options, ...common]);
