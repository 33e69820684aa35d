/** Programs that run on request: out-of-band helpers, allocators, restricted commands. */
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { SetupCalls } from "@ganeti-ts/node-calls";
import { asciiJson, parseJson, pause } from "@ganeti-ts/protocol";
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import { handlers } from "../handlers.js";
import { located } from "../machine/paths.js";
import { commandText, type Finished, outputOf, reasonOf, succeeded } from "../machine/runner.js";
import { firstProgram, isProgram } from "./file-checks.js";
import { lockFile } from "./file-lock.js";
import { programName } from "./hooks-calls.js";

export const programCalls = (context: NodeContext) =>
  handlers({
    run_oob: ({ program, command, node, timeoutSeconds }) =>
      runOutOfBand(context, [program, command, node], timeoutSeconds),
    iallocator_runner: (args) => runAllocator(context, args),
    restricted_command: ({ command }) => runRestricted(context, command),
  });

async function runOutOfBand(
  { run, paths }: NodeContext,
  [program, ...args]: readonly [string, ...string[]],
  timeoutSeconds: number,
) {
  if (!isAbsolute(program)) throw new NodeFailure(`'${program}' is not an absolute path`);
  const command = { program: located(paths, program), args, timeoutMs: timeoutSeconds * 1000 };
  const ended = await run.run(command);
  if (!succeeded(ended)) {
    throw new NodeFailure(
      `'${commandText(command)}' failed with reason '${reasonOf(ended)}'; output: ${outputOf(ended)}`,
    );
  }
  const text = ended.stdout.trim();
  if (text === "") return null;
  try {
    return parseJson(text);
  } catch (error) {
    throw new NodeFailure(`Output of '${program}' is not JSON: ${(error as Error).message}`);
  }
}

async function runAllocator(
  { run, paths }: NodeContext,
  { name, input, parameters }: SetupCalls["iallocator_runner"]["arguments"],
): Promise<string> {
  const candidates = programName.test(name)
    ? paths.allocatorSearch.map((directory) => join(directory, name))
    : [];
  const program = await firstProgram(candidates);
  if (program === undefined) {
    throw new NodeFailure(`iallocator module '${name}' not found in the search path`);
  }
  // `mkdtemp` creates the folder with mode 0700.
  const folder = await mkdtemp(join(tmpdir(), "ganeti-iallocator."));
  try {
    const file = join(folder, "request");
    await writeFile(file, asciiJson(input), { mode: 0o600 });
    const options = Object.entries(parameters).map(([option, value]) =>
      value === null ? `--${option}` : `--${option}=${String(value)}`,
    );
    // Answers contain names of groups and tags; in the locale C, hail cannot write non-ASCII ones.
    const env = { LC_ALL: "C.UTF-8" };
    const ended = await run.run({ program, args: [file, ...options], env });
    if (succeeded(ended)) return ended.stdout;
    const output = outputOf(ended);
    throw new NodeFailure(
      `iallocator module '${name}' failed: ${reasonOf(ended)}, output '${output}'`,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Time (ms) by which every refusal is delayed, so that names cannot be guessed quickly. */
const refusalMs = 10_000;
const lockWaitMs = 8_000;

/** The caller learns only that the command failed; the reason is logged. */
async function runRestricted(context: NodeContext, name: string): Promise<string> {
  const { run, paths, log } = context;
  const program = join(paths.conf, "restricted-commands", name);
  const lock = await lockFile(run, join(paths.lock, "ganeti-restricted-commands.lock"), lockWaitMs);
  let fault: string | null = "another command is being prepared";
  let running: Promise<Finished> | undefined;
  if (lock !== null) {
    try {
      fault = await restrictionFault(paths.conf, name, program);
      if (fault === null) running = run.run({ program, args: [], env: {}, cleanEnv: true });
    } finally {
      lock.release();
    }
  }
  if (running === undefined) {
    log.error(`Restricted command '${name}' refused: ${fault}`);
    await pause(context.clock, refusalMs);
    throw new NodeFailure(`Executing command '${name}' failed`);
  }
  const ended = await running;
  if (succeeded(ended)) return outputOf(ended);
  throw new NodeFailure(
    `Restricted command '${name}' failed: ${reasonOf(ended)}; output: ${outputOf(ended)}`,
  );
}

async function restrictionFault(
  conf: string,
  name: string,
  program: string,
): Promise<string | null> {
  const fault =
    nameFault(name) ??
    (await statFault(join(conf, "restricted-commands"))) ??
    (await statFault(program));
  if (fault !== null) return fault;
  return (await isProgram(program)) ? null : `access(2) thinks '${program}' can't be executed`;
}

function nameFault(name: string): string | null {
  if (name === "") return "Missing command name";
  if (name.includes("/")) return "Invalid command name";
  return programName.test(name) ? null : "Command name contains forbidden characters";
}

async function statFault(path: string): Promise<string | null> {
  const found = await stat(path).catch((error: Error) => error);
  if (found instanceof Error) return `Can't stat(2) '${path}': ${found.message}`;
  if ((found.mode & 0o7777 & ~0o755) !== 0) return `Permissions on '${path}' are too permissive`;
  return found.uid === 0 && found.gid === 0 ? null : `'${path}' is not owned by 0:0`;
}
