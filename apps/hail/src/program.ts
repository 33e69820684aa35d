/** Definition of a program, and the common frame of all programs: options, refusals, exit codes. */
import { DataError } from "@ganeti-ts/htools";
import { MessageError } from "@ganeti-ts/protocol";
import { readCommandLine } from "./command-line.js";
import { FileError, onFile } from "./file-error.js";
import type { CommandLineProgram } from "./option.js";
import type { Ports } from "./ports.js";

export interface Program<Settings> extends CommandLineProgram<Settings> {
  readonly defaults: () => Settings;
  /** Message for operands of a program that takes none, if not the default. */
  readonly refusesOperands?: string;
  /**
   * Returns the exit code. A DataError, MessageError or FileError becomes one line on stderr and exit code 1.
   */
  readonly run: (settings: Settings, operands: readonly string[], ports: Ports) => Promise<number>;
}

/** Runs a program on its arguments; returns the exit code, 2 for wrong options. Never rejects. */
export type Runner = (argv: readonly string[], ports: Ports) => Promise<number>;

/** A runner for the program, which hides the type of its settings. */
export const runnerOf =
  <Settings>(program: Program<Settings>): Runner =>
  (argv, ports) =>
    runProgram(program, argv, ports);

export function runProgram<Settings>(
  program: Program<Settings>,
  argv: readonly string[],
  ports: Ports,
): Promise<number> {
  return reporting(program.name, ports, async () => {
    const settings = program.defaults();
    const commandLine = readCommandLine(program, argv, settings);
    switch (commandLine.kind) {
      case "print":
        await print(commandLine.text, ports);
        return 0;
      case "refuse":
        ports.stderr(commandLine.text);
        return commandLine.exitCode;
      case "run":
        if (program.operands === "" && commandLine.operands.length > 0) {
          throw new DataError(
            program.refusesOperands ?? "This program doesn't take any arguments.",
          );
        }
        return await program.run(settings, commandLine.operands, ports);
    }
  });
}

/** The exit code that `action` gives; 1 if it rejects, with a line on stderr that says why. */
async function reporting(
  program: string,
  { stderr }: Pick<Ports, "stderr">,
  action: () => Promise<number>,
): Promise<number> {
  try {
    return await action();
  } catch (error) {
    const nobodyReads = error instanceof FileError && error.code === "EPIPE";
    if (!nobodyReads) stderr(`${refusalText(program, error)}\n`);
    return 1;
  }
}

/** Writes to stdout; throws a FileError, or rejects with one, if that fails. */
export function print(text: string, { stdout }: Pick<Ports, "stdout">): void | Promise<void> {
  const written = onFile("<stdout>", () => stdout(text));
  const refuse = (error: unknown) =>
    onFile("<stdout>", () => {
      throw error;
    });
  return written instanceof Promise ? written.catch(refuse) : undefined;
}

/** One line for the user; errors other than faults of the input are reported as bugs of ours. */
export function refusalText(program: string, error: unknown): string {
  if (error instanceof DataError || error instanceof MessageError) return `Error: ${error.message}`;
  if (error instanceof FileError) return `${program}: ${error.message}`;
  if (process.env.GANETI_TS_DEBUG === "1") return String((error as Error)?.stack ?? error);
  const [line] = String(error).split("\n", 1);
  return `${program}: internal error: ${line} (GANETI_TS_DEBUG=1 shows where)`;
}
