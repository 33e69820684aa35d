/** Comparable output of programs: values in which any two clusters differ are replaced by their kind. */
import type { Outcome } from "./debian.js";

const replacements: readonly (readonly [pattern: RegExp, by: string])[] = [
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UUID"],
  [/\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}/g, "DATE"],
  [/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?/g, "TIME"],
  [/\b1[78]\d{17}\b/g, "NANOSECONDS"],
  [/\[1[78]\d{8}, \d+\] */g, "TIMESTAMP "],
  [/(\bjobs?(?: ID| with id)?:? )\d+(, \d+)*/gi, "$1N"],
  [/\bjob=\d+/g, "job=N"],
  [/JobID: \d+/g, "JobID: N"],
  [/Watermark: \d+/g, "Watermark: N"],
  [/aa:00:0\d(:[0-9a-f]{2}){3}/g, "MAC"],
  [/ *\d+\.\d+ ?s(econds)?\b/g, " SECONDS"],
  // Where the programs and their files are.
  [/"[^"]*\/(?:sbin|ganeti\/3\.0)\/([\w/]+\.py|gnt-\w+)"/g, '"$1"'],
  [/\/\S*\/(?:vroot|vcluster)\/node(\d)\.example\.com/g, "ROOT$1"],
];

export function normalised({ status, stdout, stderr }: Outcome): Outcome {
  const text = (raw: string) =>
    replacements.reduce((changed, [pattern, by]) => changed.replace(pattern, by), raw);
  return { status, stdout: text(stdout), stderr: text(stderr) };
}

/** Lines that only one of the outputs has, after `theirs: ` or `ours: `; the order of lines if only that differs. */
export function differingLines(theirs: Outcome, ours: Outcome): readonly string[] {
  if (linesOf(theirs).join("\n") === linesOf(ours).join("\n")) return [];
  const missing = without(linesOf(theirs), linesOf(ours)).map((line) => `theirs: ${line}`);
  const added = without(linesOf(ours), linesOf(theirs)).map((line) => `ours: ${line}`);
  const all = [...missing, ...added];
  return all.length === 0 ? ["the order of the lines"] : all;
}

const linesOf = ({ status, stdout, stderr }: Outcome): readonly string[] => [
  `exit ${status}`,
  ...stdout.split("\n").map((line) => `1 ${line.trimEnd()}`),
  ...stderr.split("\n").map((line) => `2 ${line.trimEnd()}`),
];

/** The lines that are left when each of `others` has taken one equal to it. */
function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const line of others) counts.set(line, (counts.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const left = counts.get(line) ?? 0;
    counts.set(line, left - 1);
    return left <= 0;
  });
}

/** The words of a command line, with the quotes of a shell. */
export const words = (command: string): readonly string[] =>
  Array.from(command.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g), ([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, "$1$2"),
  );
