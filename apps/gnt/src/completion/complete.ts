/** Completion requests of shells: prints the candidates, one per line. */
import { findCommand, type Program } from "../command.js";
import type { Machine } from "../machine.js";
import { common } from "../options/shared.js";
import { parse } from "../parsing/option-values.js";
import type { Connect } from "../remote/connect.js";
import { candidates, files } from "./candidates.js";
import type { Candidate } from "./live-names.js";

/** Maximum time (ms) for an answer, because the user waits after a key press. */
const patienceMs = 3000;

/**
 * Empty if the cluster does not answer: an error message in the middle of a command line is
 * useless.
 */
export async function complete(
  program: Program,
  words: readonly string[],
  machine: Machine,
  connect: Connect,
): Promise<void> {
  // Nothing but candidates may appear in the middle of a command line.
  const quiet = { ...machine, writeError: () => {} };
  const { cluster } = await connect(optionsSoFar(program, words), quiet);
  const tooLate = new Promise<[]>((resolve) => setTimeout(resolve, patienceMs, []).unref());
  const found = await Promise.race([
    candidates(program, words, cluster).catch((): Candidate[] => []),
    tooLate,
  ]);
  machine.write(found === files ? ":files\n" : found.map(lineOf).join(""));
}

const lineOf = ({ text, about }: Candidate): string =>
  about === undefined ? `${text}\n` : `${text}\t${about.replace(/\s+/g, " ").slice(0, 70)}\n`;

/** Options that select the cluster may be in the line already. */
function optionsSoFar({ commands }: Program, words: readonly string[]) {
  const options = [...(findCommand(commands, words[0])?.options ?? []), ...common];
  try {
    return parse(words.slice(1, -1), options).options;
  } catch {
    return parse([], options).options;
  }
}
