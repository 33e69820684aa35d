/** Runs a program in the real world, and ends the process with its exit code. */
import type { Runner } from "./program.js";
import { systemPorts } from "./system-ports.js";

export function main(run: Runner, argv: readonly string[] = process.argv.slice(2)): void {
  // Everything is written by now; to wait for the engine to clean up would only take time.
  run(argv, systemPorts).then((exitCode) => process.exit(exitCode));
}
