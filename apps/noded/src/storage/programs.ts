/** Running the programs of storage. */
import { NodeFailure } from "../failure.js";
import { type Finished, outputOf, type Runner, reasonOf, succeeded } from "../machine/runner.js";

/** Runs a program to its end; `words` are its name and its arguments. */
export function ran(run: Runner, words: readonly [string, ...string[]]): Promise<Finished> {
  const [program, ...args] = words;
  return run.run({ program, args });
}

/** The same, with `NodeFailure` for every end but success. */
export async function runOrFail(
  run: Runner,
  words: readonly [string, ...string[]],
  text: (ended: Finished) => string,
): Promise<Finished> {
  const ended = await ran(run, words);
  if (!succeeded(ended)) throw new NodeFailure(text(ended));
  return ended;
}

/** `exited with exit code 5 - OUTPUT` */
export const reasonAndOutput = (ended: Finished): string =>
  `${reasonOf(ended)} - ${outputOf(ended)}`;

/** `(exited with exit code 5): OUTPUT` */
export const reasonThenOutput = (ended: Finished): string =>
  `(${reasonOf(ended)}): ${outputOf(ended)}`;

/** Bytes of a block device. */
export async function deviceBytes(run: Runner, path: string): Promise<number> {
  const ended = await runOrFail(
    run,
    ["blockdev", "--getsize64", path],
    (failed) => `blockdev failed ${reasonThenOutput(failed)}`,
  );
  const bytes = ended.stdout.trim();
  if (!/^\d+$/.test(bytes)) throw new NodeFailure(`Can't parse blockdev output '${bytes}'`);
  return Number(bytes);
}

/** A float as Python writes it in Ganeti's texts. */
export const floatText = (value: number): string =>
  Number.isInteger(value) ? value.toFixed(1) : String(value);

/** Lines without blanks around them; empty ones are left out. */
export const linesOf = (text: string): readonly string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
