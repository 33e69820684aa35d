/** Runs a program with the system's ports, and ends the process with its exit code. */
import type { Runner } from "./program.js";
import { systemPorts } from "./system-ports.js";

export function main(run: Runner, argv: readonly string[] = process.argv.slice(2)): void {
  // All output has been written; waiting for the engine to clean up would only cost time.
  run(argv, systemPorts).then((exitCode) => process.exit(exitCode));
}
