/** Selection of the program that a call of the multi-call executable means. */
import { basename } from "node:path";
import type { Runner } from "./program.js";
import { programs } from "./programs.js";

interface Personality {
  readonly run: Runner;
  /** Remaining arguments for the program. */
  readonly argv: readonly string[];
}

/**
 * A set HTOOLS decides, even an empty one; otherwise the name the file was started as, case-insensitive and
 * without `.js`. Under the name `htools`, which Ganeti does not have, the first word decides.
 *
 * @param words path of the file, and the words after it
 */
export function personality(words: readonly string[], variable: string | undefined): Personality {
  const [path = "", ...argv] = words;
  const started = basename(path, ".js");
  const [first, ...rest] = argv;
  if (variable === undefined && started.toLowerCase() === "htools" && first !== undefined) {
    return { run: first === "--help" || first === "-h" ? help : runnerFor(first), argv: rest };
  }
  return { run: runnerFor(variable ?? started), argv };
}

function runnerFor(name: string): Runner {
  const program = programs.get(name.toLowerCase());
  if (program !== undefined) return async (argv, ports) => (await program.load())(argv, ports);
  return async (_, ports) => {
    ports.stderr(unknownText(name.toLowerCase()));
    return 1;
  };
}

const help: Runner = async (_, { stdout }) => {
  stdout(`Usage: htools PROGRAM [OPTION...]\n\n${programList()}`);
  return 0;
};

/** Ganeti's message, with the names of our programs. */
function unknownText(name: string): string {
  return `Unrecognised personality '${name}'.
This program must be installed under one of the following names:
${programList()}
Error: Please either rename/symlink the program or set
the environment variable HTOOLS to the desired role.
`;
}

/** Alphabetical, wrapped to the width of a terminal. */
function programList(): string {
  const names = [...programs.keys()].sort();
  const width = Math.max(...names.map((name) => name.length));
  const rows = names.flatMap((name) => {
    const lines = wrapped(programs.get(name)?.description ?? "", 79 - 3 - width);
    return lines.map((line, at) =>
      at === 0 ? ` ${name.padEnd(width)} - ${line}\n` : ` ${"".padEnd(width)}   ${line}\n`,
    );
  });
  return rows.join("");
}

/** Wraps at single blanks into lines of at most `width` characters; further blanks are kept. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of text.split(" ")) {
    if (line !== undefined && line.length + 1 + word.length <= width) line += ` ${word}`;
    else {
      if (line !== undefined) lines.push(line);
      line = word;
    }
  }
  return line === undefined ? lines : [...lines, line];
}
