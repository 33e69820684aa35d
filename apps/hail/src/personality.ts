/** Which of the programs a call of the multi-call executable means. */
import { basename } from "node:path";
import type { Runner } from "./program.js";
import { programs } from "./programs.js";

interface Personality {
  readonly run: Runner;
  /** What is left for it. */
  readonly argv: readonly string[];
}

/**
 * A set HTOOLS decides, even an empty one; else the name the file was started as, in any case of
 * letters, without `.js`. Under the name `htools`, which Ganeti does not know, the first word decides.
 *
 * @param words the path of the file, and what follows it
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

/** Ganeti's words, with the programs there are. */
function unknownText(name: string): string {
  return `Unrecognised personality '${name}'.
This program must be installed under one of the following names:
${programList()}
Error: Please either rename/symlink the program or set
the environment variable HTOOLS to the desired role.
`;
}

/** Alphabetical; as wide as a terminal. */
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

/** Lines of at most `width` letters, broken where there is one blank; further blanks stay. */
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
