/** Entry of a program: runs it and ends the process with its exit code. */
import type { Program } from "./command.js";
import { processMachine } from "./process-machine.js";
import { runProgram } from "./run-program.js";

export async function main(
  program: Program,
  words: readonly string[] = process.argv.slice(2),
): Promise<void> {
  // All output is written; waiting for connections to close would only take time.
  process.exit(await runProgram(program, words, processMachine()));
}
