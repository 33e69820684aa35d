/** Object and tags in the arguments of a tag command. */
import { readFileSync } from "node:fs";
import type { TagKind } from "../../cluster.js";
import { Ending, prereqError } from "../../errors.js";
import type { Invocation } from "../../invocation.js";

export interface Target {
  readonly kind: TagKind;
  /** Absent for the cluster. */
  readonly name?: string;
  /** The remaining arguments. */
  readonly tags: readonly string[];
}

const kinds: Readonly<Record<string, TagKind>> = {
  "gnt-cluster": "cluster",
  "gnt-node": "node",
  "gnt-group": "group",
  "gnt-instance": "instance",
  "gnt-network": "network",
};

export function target({ program, args }: Pick<Invocation, "program" | "args">): Target {
  const kind = kinds[program];
  if (kind === undefined) throw new Error(`${program} has no tags`);
  if (kind === "cluster") return { kind, tags: args };
  const [name, ...tags] = args;
  if (name === undefined) throw prereqError("no arguments passed to the command");
  return { kind, name, tags };
}

/** Name of the kind in opcodes. */
export const opcodeKind = (kind: TagKind): string => (kind === "group" ? "nodegroup" : kind);

/**
 * Tags of the command line, then those of the file, one per line, without surrounding blanks; an
 * empty line is an empty tag, which is refused. `-` is standard input.
 */
export function givenTags(tags: readonly string[], file: string | undefined): readonly string[] {
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
