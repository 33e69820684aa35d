// Prose of source files: comments, titles of tests, and paragraphs of Markdown.
import type { SourceFile } from "./imports.js";

/** A comment, a test title or a paragraph, its lines joined by blanks. */
export interface Prose {
  readonly path: string;
  /** Line on which it begins, from 1. */
  readonly line: number;
  readonly text: string;
  /** A comment on the first line of a file: readers meet it before anything else. */
  readonly isFileHead: boolean;
}

/** All prose of TypeScript, JavaScript and Markdown files, in file order. Code examples are left out. */
export const proseOf = (files: readonly SourceFile[]): Prose[] =>
  files.flatMap((file) => {
    if (file.path.endsWith(".md")) return paragraphs(file);
    return /\.[jt]s$/.test(file.path) ? [...comments(file), ...titles(file)] : [];
  });

/** Blocks of `//` lines, docblocks, and comments behind code. */
function comments({ path, text }: SourceFile): Prose[] {
  const lines = text.split("\n");
  const found: Prose[] = [];
  const add = (from: number, parts: readonly string[]) =>
    found.push({ path, line: from + 1, text: parts.join(" ").trim(), isFileHead: from === 0 });
  for (let index = 0; index < lines.length; index += 1) {
    const from = index;
    const trimmed = lines[index]?.trim() ?? "";
    if (trimmed.startsWith("/*")) {
      while (index < lines.length - 1 && !lines[index]?.includes("*/")) index += 1;
      add(from, lines.slice(from, index + 1).map(withoutStars));
    } else if (trimmed.startsWith("//")) {
      while (lines[index + 1]?.trim().startsWith("//")) index += 1;
      add(from, lines.slice(from, index + 1).map(withoutSlashes));
    } else {
      const behind = commentBehind(trimmed);
      if (behind !== undefined) add(from, [behind]);
    }
  }
  return found;
}

const withoutStars = (line: string) => line.replace(/^\s*\/?\*+\/?\s?|\s*\*+\/\s*$/g, "");
const withoutSlashes = (line: string) => line.replace(/^\s*\/\/\s?/, "");

/** The comment at the end of a line of code; a `//` between quotes is none. */
function commentBehind(line: string): string | undefined {
  const at = line.search(/\s\/\/\s/);
  if (at < 0) return undefined;
  const before = line.slice(0, at);
  const isBalanced = ['"', "`"].every((quote) => before.split(quote).length % 2 === 1);
  return isBalanced ? withoutSlashes(line.slice(at)) : undefined;
}

/** Titles of `test` and `describe`, also those on the line below the call. */
function titles({ path, text }: SourceFile): Prose[] {
  const call = /\b(?:test|it|describe)(?:\.\w+)*(?:\([^"`]{0,80}\))?\(\s*["`]([^"`\n]+)["`]/g;
  return [...text.matchAll(call)].map((match) => ({
    path,
    line: text.slice(0, match.index).split("\n").length,
    text: match[1] ?? "",
    isFileHead: false,
  }));
}

/** Paragraphs, list items and table rows outside fenced blocks. */
function paragraphs({ path, text }: SourceFile): Prose[] {
  const found: Prose[] = [];
  let isFenced = false;
  let open: { line: number; parts: string[] } | undefined;
  const close = () => {
    if (open === undefined) return;
    found.push({ path, line: open.line, text: open.parts.join(" "), isFileHead: false });
    open = undefined;
  };
  for (const [index, line] of text.split("\n").entries()) {
    if (/^\s*```/.test(line)) isFenced = !isFenced;
    const startsAfresh = /^\s*(?:[-*|#>]|\d+\.)/.test(line);
    if (startsAfresh || line.trim() === "" || isFenced) close();
    if (isFenced || line.trim() === "" || line.trim().startsWith("```")) continue;
    const prose = line.trim().replace(/^(?:[-*#>]+|\d+\.)\s+/, "");
    if (open === undefined) open = { line: index + 1, parts: [prose] };
    else open.parts.push(prose);
  }
  close();
  return found;
}
