/** Suggestion of `gnt` for an unknown first word. */
import { findCommand, type Program } from "./command.js";
import { nearest } from "./nearest.js";

/** Undefined without a similar name. */
export function slipInProgram(given: string, programs: readonly Program[]): string | undefined {
  if (given === "") return undefined;
  const shortName = ({ name }: Program) => name.replace("gnt-", "");
  const start = `gnt: there is no program '${given}'.`;
  const knowing = programs.filter(({ commands }) => findCommand(commands, given) !== undefined);
  if (knowing.length > 0) {
    const lines = knowing.map((program) => `gnt ${shortName(program)} ${given}`);
    return `${start} It is a command of programs: ${lines.join(", ")}`;
  }
  const names = programs.flatMap((program) => [shortName(program), program.name]);
  const meant = nearest(given, names);
  return meant === undefined ? undefined : `${start} Did you mean '${meant}'?`;
}
