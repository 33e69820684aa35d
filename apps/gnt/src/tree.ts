/** Trees of `info` commands: nearly YAML, byte for byte as Ganeti's. */
import type { Json } from "@ganeti-ts/protocol";
import { pythonText } from "@ganeti-ts/protocol";
import type { Output } from "./invocation.js";

/** Keys of plain objects are sorted alphabetically, those of `Ordered` keep their order. */
export type Tree = Json | Ordered | Inline | readonly Tree[] | { readonly [key: string]: Tree };

/** Values of entries with the same group are aligned. */
export type Entry = readonly [key: string, value: Tree, group?: string];

export class Ordered {
  readonly entries: readonly Entry[];

  constructor(entries: readonly Entry[]) {
    this.entries = entries;
  }
}

/** A list on one line: `[a, b]`. */
export class Inline {
  readonly values: readonly Json[];

  constructor(values: readonly Json[]) {
    this.values = values;
  }
}

export const ordered = (...entries: readonly Entry[]): Ordered => new Ordered(entries);

/** Prints the tree as lines, or with `--json` as a document. */
export function printTree(out: Output, tree: Tree): void {
  if (out.json) out.document(treeJson(tree));
  else for (const line of treeLines(tree)) out.line(line);
}

/** Keys keep their trailing blank: `Opcodes: ` has one even if the value begins below. */
export const treeLines = (tree: Tree): string[] =>
  treeText(tree, 0, false).replace(/\n+$/, "").split("\n");

/** Ends with a newline. `afterKey`: whether a key is on the line already. */
function treeText(tree: Tree, level: number, afterKey: boolean): string {
  if (tree instanceof Inline) return `[${tree.values.map(pythonText).join(", ")}]\n`;
  if (tree instanceof Ordered) return entriesText(tree.entries, level, afterKey);
  if (isList(tree)) {
    return block(
      tree.map((item) => `- ${treeText(item, level + 1, false)}`),
      level,
      afterKey,
    );
  }
  if (typeof tree === "object" && tree !== null) {
    const keys = Object.keys(tree).toSorted((a, b) => (a < b ? -1 : 1));
    const entries = keys.map(
      (key) => [key, (tree as { [key: string]: Tree })[key] as Tree] as const,
    );
    return entriesText(entries, level, afterKey);
  }
  return `${pythonText(tree)}\n`;
}

function entriesText(entries: readonly Entry[], level: number, afterKey: boolean): string {
  const widths = new Map<string, number>();
  for (const [key, , group] of entries) {
    if (group !== undefined) widths.set(group, Math.max(widths.get(group) ?? 0, key.length));
  }
  const texts = entries.map(([key, value, group]) => {
    const width = group === undefined ? 0 : (widths.get(group) as number);
    const space = " ".repeat(Math.max(0, width - key.length));
    return `${key}: ${space}${treeText(value, level + 1, true)}`;
  });
  return block(texts, level, afterKey);
}

/** The first of several begins on the current line, unless a key is there. */
function block(texts: readonly string[], level: number, afterKey: boolean): string {
  if (texts.length === 0) return "\n";
  const indent = "  ".repeat(level);
  return afterKey ? `\n${texts.map((text) => indent + text).join("")}` : texts.join(indent);
}

const isList = (tree: Tree): tree is readonly Tree[] => Array.isArray(tree);

function treeJson(tree: Tree): Json {
  if (tree instanceof Inline) return tree.values;
  if (tree instanceof Ordered) {
    return Object.fromEntries(tree.entries.map(([key, value]) => [key, treeJson(value)]));
  }
  if (isList(tree)) return tree.map(treeJson);
  if (typeof tree !== "object" || tree === null) return tree;
  return Object.fromEntries(
    Object.entries(tree as { [key: string]: Tree }).map(([key, value]) => [key, treeJson(value)]),
  );
}
