/** Parsed command lines for tests of single commands. */
import type { Command, Program } from "../src/command.js";
import { common } from "../src/options/shared.js";
import { type Parsed, parse } from "../src/parsing/option-values.js";
import { shellWords } from "../src/parsing/shell-words.js";

const commandOf = ({ name: program, commands }: Program, name: string): Command => {
  const found = commands.find((one) => one.name === name);
  if (found === undefined) throw new Error(`${program} has no command ${name}`);
  return found;
};

/** Arguments and options after the name of the command, split as by a shell. */
export const given = (program: Program, name: string, line: string): Parsed =>
  parse(shellWords(line), [...commandOf(program, name).options, ...common]);
