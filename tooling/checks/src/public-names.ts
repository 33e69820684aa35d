// Public names of packages: their definitions, docblocks and users.
import { posix } from "node:path";
import type { SourceFile } from "./imports.js";

/** A name that a door exports. */
export interface PublicName {
  /** Folder below packages/. */
  readonly folder: string;
  readonly name: string;
  readonly isType: boolean;
  /** The file that defines it; the door itself where it is re-exported from another package. */
  readonly path: string;
  /** A docblock stands right before the definition, or before that of the type of the same name. */
  readonly isDocumented: boolean;
}

/** Exports of the doors at `doors` (paths of `src/index.ts` and others), each name once per package. */
export function publicNames(
  files: ReadonlyMap<string, SourceFile>,
  doors: readonly string[],
): PublicName[] {
  const found = new Map<string, PublicName>();
  for (const door of doors) {
    const [, folder = ""] = door.split("/");
    for (const { name, isType } of exportedNames(files.get(door)?.text ?? "")) {
      const { path, inner } = definitionOf(files, door, name);
      const isDocumented = hasDocblock(files.get(path)?.text ?? "", inner);
      found.set(`${folder} ${name}`, { folder, name, isType, path, isDocumented });
    }
  }
  return [...found.values()];
}

/** Names that a module exports by `export { … }`, `export … from` or a declaration. */
function exportedNames(text: string): { name: string; isType: boolean }[] {
  const code = withoutComments(text);
  const lists = [...code.matchAll(/export\s+(type\s+)?\{([^}]*)\}/g)].flatMap(
    ([, all, names = ""]) =>
      entriesOf(names).map(({ outer, isType }) => ({
        name: outer,
        isType: isType || all !== undefined,
      })),
  );
  const declared = [...code.matchAll(declaration)].map(([, kind = "", name = ""]) => ({
    name,
    isType: kind === "type" || kind === "interface",
  }));
  return [...lists, ...declared];
}

const declaration =
  /^export (?:declare )?(?:async )?(?:abstract )?(const|function\*?|class|interface|type|enum|let) (\w+)/gm;

const entriesOf = (names: string) =>
  names
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
    .map((entry) => {
      const isType = entry.startsWith("type ");
      const [inner = "", outer = inner] = entry.replace(/^type\s+/, "").split(/\s+as\s+/);
      return { inner, outer, isType };
    });

/** The file that defines `name`, going through re-exports; `inner` is what it is called there. */
function definitionOf(
  files: ReadonlyMap<string, SourceFile>,
  path: string,
  name: string,
): { path: string; inner: string } {
  const code = withoutComments(files.get(path)?.text ?? "");
  for (const [, names = "", from = ""] of code.matchAll(
    /export\s+(?:type\s+)?\{([^}]*)\}\s*from\s*"([^"]+)"/g,
  )) {
    const entry = entriesOf(names).find(({ outer }) => outer === name);
    if (entry === undefined || !from.startsWith(".")) continue;
    const target = posix.join(posix.dirname(path), from).replace(/\.js$/, ".ts");
    if (files.has(target)) return definitionOf(files, target, entry.inner);
  }
  return { path, inner: name };
}

/** Whether a docblock stands right before one of the definitions of `name`. Names of other packages count as documented there. */
function hasDocblock(text: string, name: string): boolean {
  const definitions = [...text.matchAll(new RegExp(`^export [^\\n{(=;:<]*\\b${name}\\b`, "gm"))];
  if (definitions.length === 0) return true;
  return definitions.some(
    ({ index }) =>
      /\*\/\s*(?:\/\/[^\n]*\s*)*$/.test(text.slice(0, index)) && !isFileHead(text.slice(0, index)),
  );
}

/** A docblock at the first line that is followed by an empty line or imports describes the file. */
const isFileHead = (before: string) => /^\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*\n\s*\n$/.test(before);

/**
 * Names that occur only in the sources of their own package: in no other package, app, README, example or test.
 * A type counts as used where another public definition of its package mentions it: callers get values of it.
 * Cost: O(size of all files).
 */
export function unusedNames(
  names: readonly PublicName[],
  files: readonly SourceFile[],
): PublicName[] {
  const mentioned = new Map<string, Set<string>>();
  for (const { path, text } of files) {
    const [kind = "", folder = ""] = path.split("/");
    const isOwn = /^packages\/[^/]+\/src\//.test(path) && !path.endsWith(".test.ts");
    const key = isOwn ? `${kind}/${folder}` : "elsewhere";
    const words = mentioned.get(key) ?? new Set();
    mentioned.set(key, words);
    const code = path.endsWith(".md") ? text : withoutComments(text);
    for (const word of code.match(/\w+/g) ?? []) words.add(word);
  }
  const defining = new Map<string, Set<string>>();
  for (const { folder, path } of names) {
    defining.set(folder, (defining.get(folder) ?? new Set()).add(path));
  }
  const textOf = new Map(files.map(({ path, text }) => [path, withoutComments(text)]));
  const isPart = ({ folder, name }: PublicName) =>
    [...(defining.get(folder) ?? [])].some(
      (path) => (textOf.get(path)?.match(new RegExp(`\\b${name}\\b`, "g"))?.length ?? 0) > 1,
    );
  return names.filter((one) => {
    const { folder, name, isType } = one;
    const others = [...mentioned].filter(([key]) => key !== `packages/${folder}`);
    if (others.some(([, words]) => words.has(name))) return false;
    return !(isType && isPart(one));
  });
}

const withoutComments = (text: string) =>
  text.replace(/\/\*[\s\S]*?\*\/|(?<=^|[\s;{])\/\/.*$/gm, "");
