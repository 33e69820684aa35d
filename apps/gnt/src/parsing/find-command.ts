/** Lookup of a program's command by name or alias. */
import type { Command } from "../command.js";

export const findCommand = (
  commands: readonly Command[],
  given: string | undefined,
): Command | undefined =>
  commands.find(({ name, aliases }) => name === given || aliases?.includes(given ?? "") === true);
