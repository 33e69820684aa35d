/**
 * Completion candidates at the cursor: commands, options, values, and names of existing objects.
 */

import type { Cluster } from "../cluster.js";
import {
  type Argument,
  type Command,
  findCommand,
  type Kind,
  type Option,
  type Program,
} from "../command.js";
import { common } from "../options/shared.js";
import { gnuWords, isSwitch } from "../parsing/gnu-arguments.js";
import { type Candidate, liveNames } from "./live-names.js";
import { tagNames } from "./tag-names.js";

/** The shell completes files itself. */
export const files = "files";

/** `words` follow the program's name; the last one is incomplete. */
export async function candidates(
  program: Program,
  words: readonly string[],
  cluster: Cluster,
): Promise<readonly Candidate[] | typeof files> {
  const written = words.at(-1) ?? "";
  const found = await unfiltered(program, words, cluster);
  return found === files ? files : found.filter(({ text }) => text.startsWith(written));
}

async function unfiltered(
  program: Program,
  words: readonly string[],
  cluster: Cluster,
): Promise<readonly Candidate[] | typeof files> {
  if (words.length < 2) return commandNames(program);
  const command = findCommand(program.commands, words[0]);
  if (command === undefined) return [];
  const options = [...command.options, ...common];
  const written = words.at(-1) as string;
  const place = placeOf(words.slice(1, -1), command, options);
  const valued = (option: Option, prefix: string) =>
    values(expectedOf(option), written.slice(prefix.length), prefix, program, cluster);

  if (place.option !== undefined) return valued(place.option, "");
  if (!place.onlyArguments) {
    const [, name] = /^--([^=]+)=/.exec(written) ?? [];
    const option = options.find((one) => one.name === name);
    if (option !== undefined) return valued(option, `--${name}=`);
    if (written.startsWith("-")) return optionNames(options);
  }
  const argument = argumentAt(command, place.before.length);
  if (argument === undefined) return [];
  if (argument.kind === "tag") {
    return tagNames({
      program: program.name,
      command: command.name,
      before: place.before,
      cluster,
    });
  }
  return values(argument, written, "", program, cluster);
}

const commandNames = ({ commands }: Program): Candidate[] => [
  ...commands.flatMap(({ name, aliases = [], summary }) =>
    [name, ...aliases].map((text) => ({ text, about: summary })),
  ),
  { text: "--help", about: "List the commands" },
  { text: "--version", about: "Show the version" },
];

const optionNames = (options: readonly Option[]): Candidate[] => [
  ...options.flatMap((option) =>
    [option.name, ...(option.aliases ?? [])].map((name) => ({
      text: `--${name}${isSwitch(option) ? "" : "="}`,
      about: option.help,
    })),
  ),
  { text: "--help", about: "Explain the command" },
];

interface Place {
  /** Option that needs a value at the cursor. */
  readonly option?: Option;
  /** The arguments before the cursor. */
  readonly before: readonly string[];
  /** Options are no longer possible. */
  readonly onlyArguments: boolean;
}

/** `words`: those before the incomplete one. */
function placeOf(words: readonly string[], command: Command, options: readonly Option[]): Place {
  const { operands, faults, ended } = gnuWords(words, options, !command.foreignWords);
  const missing = faults.find(({ kind }) => kind === "argument missing");
  return {
    ...(missing?.kind === "argument missing" ? { option: missing.option } : {}),
    before: operands,
    onlyArguments: ended,
  };
}

function argumentAt(command: Command, at: number): Argument | undefined {
  let before = 0;
  for (const argument of command.arguments) {
    before += argument.max;
    if (at < before) return argument;
  }
  return undefined;
}

interface Expected {
  readonly kind: Kind;
  readonly choices?: readonly string[] | undefined;
}

const expectedOf = ({ type, choices, completes = "text" }: Option): Expected => ({
  kind: completes,
  choices: choices ?? (type === "yes-no" ? ["yes", "no"] : undefined),
});

/** In a comma-separated list the last part is completed. */
async function values(
  { kind, choices }: Expected,
  written: string,
  prefix: string,
  program: Program,
  cluster: Cluster,
): Promise<readonly Candidate[] | typeof files> {
  if (choices !== undefined) return choices.map((text) => ({ text: prefix + text }));
  if (kind === "file" || kind === "directory") return files;
  const before = kind === "field" ? (/^.*[,+]/.exec(written)?.[0] ?? "") : "";
  const names = await liveNames(kind, program.name, cluster);
  return names.map(({ text, ...about }) => ({ text: prefix + before + text, ...about }));
}
