/** Runs the programs of the storage types, with time limits. */
import { NodeFailure } from "../failure.js";
import {
  type Command,
  commandText,
  type Finished,
  outputOf,
  type Runner,
  reasonOf,
  succeeded,
} from "../machine/runner.js";

type Words = readonly [string, ...string[]];

/**
 * Time limits (ms) of programs. They are shorter than the timeouts of the calls (1 min for lists of volumes, 15 min for changes,
 * an hour for content), so that callers get an error with the name of the program instead of a timeout.
 */
export const limitsMs = { look: 50_000, change: 600_000, content: 3_400_000 } as const;

/** Programs, with or without a subcommand, that change nothing. */
const looks: ReadonlySet<string> = new Set([
  ...["lvs", "vgs", "pvs", "blockdev", "drbdsetup show", "rbd showmapped"],
]);

const limitOf = ([program, first = ""]: Words): number =>
  looks.has(program) || looks.has(`${program} ${first}`) ? limitsMs.look : limitsMs.change;

/**
 * Runs a program to its end; `words` are its name and its arguments. Rejects with `NodeFailure` if it reaches a limit of time
 * or output, because its outcome is then unknown and a retry would hang as well.
 */
export function ran(run: Runner, words: Words, timeoutMs = limitOf(words)): Promise<Finished> {
  const [program, ...args] = words;
  return withinLimits(run, { program, args, timeoutMs });
}

/** Like `ran`, for any command. */
export async function withinLimits(run: Runner, command: Command): Promise<Finished> {
  const ended = await run.run(command);
  if (ended.limit === "none") return ended;
  throw new NodeFailure(
    `'${commandText(command)}' did not end within its limits: ${reasonOf(ended)}`,
  );
}

/** Like `ran`, but unless the program succeeds it rejects with a `NodeFailure` of what was attempted and how that ended. */
export async function runOrFail(
  run: Runner,
  words: Words,
  what: string,
  shown: (ended: Finished) => string = outputOf,
  timeoutMs = limitOf(words),
): Promise<Finished> {
  const ended = await ran(run, words, timeoutMs);
  if (!succeeded(ended)) throw new NodeFailure(what + shown(ended));
  return ended;
}

/** `exited with exit code 5 - OUTPUT` */
export const reasonAndOutput = (ended: Finished): string =>
  `${reasonOf(ended)} - ${outputOf(ended)}`;

/** `(exited with exit code 5): OUTPUT` */
export const reasonThenOutput = (ended: Finished): string =>
  `(${reasonOf(ended)}): ${outputOf(ended)}`;

/** Size of a block device in bytes. */
export async function deviceBytes(run: Runner, path: string): Promise<number> {
  const ended = await runOrFail(
    run,
    ["blockdev", "--getsize64", path],
    "blockdev failed ",
    reasonThenOutput,
  );
  const bytes = ended.stdout.trim();
  if (!/^\d+$/.test(bytes)) throw new NodeFailure(`Can't parse blockdev output '${bytes}'`);
  return Number(bytes);
}

/** A float as Python writes it in Ganeti's texts. */
export const floatText = (value: number): string =>
  Number.isInteger(value) ? value.toFixed(1) : String(value);

/** Trimmed lines that are not empty. */
export const linesOf = (text: string): readonly string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
