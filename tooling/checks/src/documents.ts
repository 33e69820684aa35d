/** Documents compared with the tree: links, and the files and tests that a table of caches names. */
import { posix } from "node:path";
import type { SourceFile } from "./imports.js";
import { relativeLinks } from "./readme.js";

/** Links of a document that lead to no file or folder of the tree. O(links · files). */
export function brokenLinks({ path, text }: SourceFile, paths: readonly string[]): string[] {
  return relativeLinks(text).filter((link) => {
    const target = posix.join(posix.dirname(path), link).replace(/\/$/, "");
    return !paths.some((one) => one === target || one.startsWith(`${target}/`));
  });
}

/** A source that a table names, or a test with its title, by the package of the table's section. */
interface Named {
  readonly path: string;
  /** Titles in italics behind the name of a test. */
  readonly titles: readonly string[];
}

/** Files named in the rows of the tables. A path is relative to the package that the heading of its section begins with. */
export function filesNamed(markdown: string): Named[] {
  let folder = "";
  return markdown.split("\n").flatMap((line) => {
    if (line.startsWith("## ")) folder = /^## ((?:packages|apps)\/[\w-]+)/.exec(line)?.[1] ?? "";
    if (!line.startsWith("|")) return [];
    return line.split(/;|\|/).flatMap((part) => {
      const titles = Array.from(part.matchAll(/\*([^*]+)\*/g), ([, title]) => title as string);
      return Array.from(part.matchAll(/`([\w./-]+\.tsx?)`/g), ([, name]) => {
        const path = name as string;
        const isWhole = /^(packages|apps|tooling)\//.test(path);
        return { path: isWhole ? path : posix.join(folder, path), titles };
      });
    });
  });
}

/** Names of a document that are wrong: files that do not exist, and titles that are not in the file named before them. */
export function wrongNames(markdown: string, files: readonly SourceFile[]): string[] {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  return filesNamed(markdown).flatMap(({ path, titles }) => {
    // A name without a folder repeats one of another row.
    if (!path.includes("/src/") && !path.includes("/test/")) return [];
    const text = texts.get(path);
    if (text === undefined) return [`${path} does not exist`];
    return titles.filter((title) => !text.includes(title)).map((title) => `${path}: ${title}`);
  });
}

/** Definitions in the last column of tables, `file` `definition` …, that do not stand in the file. */
export function wrongDefinitions(markdown: string, files: readonly SourceFile[]): string[] {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  return markdown.split("\n").flatMap((line) => {
    const lastCell = /\|([^|]*\.ts`[^|]*)\|$/.exec(line)?.[1] ?? "";
    const [path = "", ...definitions] = Array.from(
      lastCell.matchAll(/`([^`]+)`/g),
      ([, code = ""]) => code,
    );
    return definitions
      .filter((definition) => !texts.get(path)?.includes(definition))
      .map((definition) => `${path}: ${definition}`);
  });
}

/** Sources with a `WeakMap` that the document does not name. */
export function unnamedCaches(markdown: string, files: readonly SourceFile[]): string[] {
  const named = new Set(filesNamed(markdown).map(({ path }) => path));
  return files
    .filter(({ path }) => /^(packages|apps)\/[\w-]+\/src\//.test(path) && !/\.test\.ts/.test(path))
    .filter(({ path, text }) => text.includes("new WeakMap") && !named.has(path))
    .map(({ path }) => path);
}
