/**
 * Run of a program, from its words to its exit code: command, options, execution, error messages.
 */
import type { Command, Program } from "./command.js";
import { Ending, UsageError } from "./errors.js";
import type { Invocation } from "./invocation.js";
import type { Machine } from "./machine.js";
import type { Connect } from "./remote/connect.js";

const connectRemotely: Connect = async (options, machine) =>
  (await import("./remote/connect.js")).openConnection(options, machine);

/**
 * Everything but the lookup of the command is loaded on demand: the option parser, the connection,
 * the command itself.
 */
export async function runProgram(
  program: Program,
  words: readonly string[],
  machine: Machine,
  connect: Connect = connectRemotely,
): Promise<number> {
  const [given] = words;
  if (given === "--version" || given === "--help") {
    const { versionLines } = await import("./version.js");
    const { programUsage } = await import("./usage.js");
    machine.write(
      `${(given === "--help" ? programUsage(program) : versionLines(program.name)).join("\n")}\n`,
    );
    return 0;
  }
  if (given === "--complete") {
    const { complete } = await import("./completion/complete.js");
    await complete(program, words.slice(1), machine, connect);
    return 0;
  }
  const { findCommand } = await import("./command.js");
  const command = findCommand(program.commands, given);
  if (command === undefined) {
    const { programUsage } = await import("./usage.js");
    machine.write(`${programUsage(program).join("\n")}\n`);
    if (given !== undefined) await suggest(program, given, machine);
    return 1;
  }
  const { failureOf } = await import("./failure.js");
  try {
    return await runCommand(program, command, words.slice(1), machine, connect);
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    if (failure.text !== "") machine.writeError(`${failure.text}\n`);
    return failure.exitCode;
  }
}

/** A suggestion for a misspelt command goes to standard error, below the list of commands. */
async function suggest({ name, commands }: Program, given: string, machine: Machine) {
  const { nearest } = await import("./nearest.js");
  const names = commands.flatMap((command) => [command.name, ...(command.aliases ?? [])]);
  const meant = nearest(given, names);
  if (meant === undefined) return;
  machine.writeError(`${name}: there is no command '${given}'. Did you mean '${meant}'?\n`);
}

async function runCommand(
  program: Program,
  command: Command,
  words: readonly string[],
  machine: Machine,
  connect: Connect,
): Promise<number> {
  const { commandHelp, usageError } = await import("./usage.js");
  const { parse } = await import("./parsing/option-values.js");
  const { common } = await import("./options/shared.js");
  const help = { name: "help", short: "h", type: "flag", help: "" } as const;
  const withUsage = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      throw new Ending(usageError(program.name, command, error.message), 2);
    }
  };
  const { args, options } = await withUsage(async () => {
    const more = await wordsOfEnvironment(program, command, machine);
    return parse([...more, ...words], [...command.options, ...common, help], !command.foreignWords);
  });
  if (options.flag("help")) {
    machine.write(`${commandHelp(program, command).join("\n")}\n`);
    return 0;
  }
  const { arityFault } = await import("./parsing/arity.js");
  const fault = arityFault(command, args);
  if (fault !== undefined) throw new Ending(fault);

  const { createOutput } = await import("./output.js");
  const { terminalAsk } = await import("./ask.js");
  const out = createOutput(machine, options.flag("json"), options.text("color"));
  const { dataDirectory, cluster } = await connect(options, machine);
  const invocation: Invocation = {
    program: program.name,
    command: command.name,
    args,
    options,
    cluster,
    out,
    ask: terminalAsk(machine),
    env: machine.env,
    dataDirectory,
    signal: machine.signal,
    now: machine.now,
  };
  const run = await command.load();
  // Some texts are parsed by the command itself, which then needs its usage.
  return await out.during(() => withUsage(() => run(invocation)));
}

/** `GNT_NODE_LIST` holds default arguments of `gnt-node list`. */
async function wordsOfEnvironment(
  { name }: Program,
  command: Command,
  { env }: Machine,
): Promise<string[]> {
  if (!command.environment) return [];
  const text = env[`${name}_${command.name}`.replaceAll("-", "_").toUpperCase()];
  if (!text) return [];
  const { shellWords } = await import("./parsing/shell-words.js");
  return shellWords(text);
}
