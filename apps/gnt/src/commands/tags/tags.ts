/** The commands list-tags, add-tags and remove-tags of every program with tags. */
import { readFileSync } from "node:fs";
import { type TagKind, taggedKinds } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import { Ending, prereqError } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";

/** Lists the tags of one object, sorted, one per line. */
export async function listTags(invocation: Invocation): Promise<ExitCode> {
  const { cluster, out } = invocation;
  const { kind, name } = target(invocation);
  const tags = [...(await cluster.tags(kind, name))].sort();
  if (out.json) out.document(tags);
  else for (const tag of tags) out.line(tag);
  return 0;
}

/** Adds tags; existing ones stay. */
export const addTags = (invocation: Invocation): Promise<ExitCode> =>
  changeTags(invocation, "OP_TAGS_SET");

/** Removes tags, all of which must exist. */
export const removeTags = (invocation: Invocation): Promise<ExitCode> =>
  changeTags(invocation, "OP_TAGS_DEL");

async function changeTags(
  invocation: Invocation,
  OP_ID: "OP_TAGS_SET" | "OP_TAGS_DEL",
): Promise<ExitCode> {
  const { kind, name, tags: words } = target(invocation);
  const tags = givenTags(words, invocation.options.text("from"));
  if (tags.length === 0) {
    throw prereqError(`No tags to be ${OP_ID === "OP_TAGS_SET" ? "added" : "removed"}`);
  }
  await runOpcode(invocation, { OP_ID, kind: opcodeKind(kind), name: name ?? "", tags });
  return 0;
}

export interface Target {
  readonly kind: TagKind;
  /** Absent for the cluster. */
  readonly name?: string;
  /** The remaining arguments. */
  readonly tags: readonly string[];
}

export function target({ program, args }: Pick<Invocation, "program" | "args">): Target {
  const kind = taggedKinds[program];
  if (kind === undefined) throw new Error(`${program} has no tags`);
  if (kind === "cluster") return { kind, tags: args };
  const [name, ...tags] = args;
  if (name === undefined) throw prereqError("no arguments passed to the command");
  return { kind, name, tags };
}

/** Name of the kind in opcodes. */
const opcodeKind = (kind: TagKind): string => (kind === "group" ? "nodegroup" : kind);

/**
 * Tags of the command line, then those of the file, one per line, without surrounding blanks; an
 * empty line is an empty tag, which is refused. `-` is standard input.
 */
function givenTags(tags: readonly string[], file: string | undefined): readonly string[] {
  if (file === undefined) return tags;
  const lines = textOf(file).split("\n");
  if (lines.at(-1) === "") lines.pop();
  return [...tags, ...lines.map((line) => line.trim())];
}

function textOf(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new Ending(`Cannot read tags: ${message}`);
  }
}
