/** The options of a command line, as the command gets them. */
import type { Command } from "../src/command.js";
import type { OptionValues } from "../src/invocation.js";
import { common } from "../src/options/shared.js";
import { parse } from "../src/parsing/option-values.js";
import { shellWords } from "../src/parsing/shell-words.js";

/** Arguments and options of what follows the name of the command. */
export function given(
  commands: readonly Command[],
  name: string,
  line: string,
): { readonly args: readonly string[]; readonly options: OptionValues } {
  const command = commands.find((one) => one.name === name);
  if (command === undefined) throw new Error(`there is no command ${name}`);
  return parse(shellWords(line), [...command.options, ...common]);
}
