/**
 * Command lines on simulated nodes, so that commands for all nodes can be tried: a few read-only
 * programs work on the node's own files, and other programs are not found.
 */
import type { HostState } from "./node-state.js";

export interface ShellAnswer {
  /** Combined standard output and standard error. */
  readonly output: string;
  readonly exitCode: number;
}

type Program = (host: HostState, words: readonly string[]) => ShellAnswer;

const said = (output: string, exitCode = 0): ShellAnswer => ({ output, exitCode });

const programs: ReadonlyMap<string, Program> = new Map<string, Program>([
  ["true", () => said("")],
  ["false", () => said("", 1)],
  ["echo", (_, words) => said(`${words.join(" ")}\n`)],
  ["hostname", ({ name }) => said(`${name}\n`)],
  ["cat", (host, paths) => eachFile(paths, (path) => host.files[path], "cat: ", "")],
  [
    "ls",
    (host, paths) => eachFile(paths, (path) => listing(host, path), "ls: cannot access ", "'", "'"),
  ],
]);

/** Runs one plain command of quoted or unquoted words. O(text + files of the node) */
export function shellAnswer(host: HostState, command: string): ShellAnswer {
  const words = plainWords(command);
  if (words === undefined) {
    return said("bash: a simulated node runs plain commands, without a shell's signs\n", 2);
  }
  const [name, ...rest] = words;
  if (name === undefined) return said("");
  const program = programs.get(name);
  if (program !== undefined) return program(host, rest);
  const known = [...programs.keys()].join(", ");
  return said(`bash: line 1: ${name}: command not found (a simulated node has ${known})\n`, 127);
}

/** The words; undefined if the line needs more than word splitting. */
function plainWords(command: string): readonly string[] | undefined {
  const words: string[] = [];
  let rest = command.trim();
  while (rest !== "") {
    const [all = "", single, double, bare] =
      /^(?:'([^']*)'|"([^"$`\\]*)"|([^\s'"|&;<>()$`\\*?[\]{}~#]+))(?=\s|$)\s*/.exec(rest) ?? [];
    const word = single ?? double ?? bare;
    if (word === undefined) return undefined;
    words.push(word);
    rest = rest.slice(all.length);
  }
  return words;
}

/** Output for each path, with exit code 1 if one does not exist. */
function eachFile(
  paths: readonly string[],
  read: (path: string) => string | undefined,
  complaint: string,
  open: string,
  close = open,
): ShellAnswer {
  const texts = paths.map((path) => [path, read(path)] as const);
  return said(
    texts
      .map(
        ([path, text]) => text ?? `${complaint}${open}${path}${close}: No such file or directory\n`,
      )
      .join(""),
    texts.some(([, text]) => text === undefined) ? 1 : 0,
  );
}

/** The file itself, or else the entries of the directory. */
function listing(host: HostState, path: string): string | undefined {
  if (host.files[path] !== undefined) return `${path}\n`;
  const start = path.endsWith("/") ? path : `${path}/`;
  const names = Object.keys(host.files)
    .filter((one) => one.startsWith(start))
    .map((one) => one.slice(start.length).split("/", 1)[0] as string);
  if (names.length === 0) return undefined;
  return [...new Set(names)]
    .sort()
    .map((name) => `${name}\n`)
    .join("");
}
