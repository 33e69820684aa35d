// Imports that break the map in architecture.ts.
import { posix } from "node:path";
import { furtherDoors, type Layer, testOnly } from "./architecture.js";

/** A file of the repository; `path` is relative to its root, with forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/**
 * Every import of `files` that the map forbids, one line each, in the order of `files`.
 *
 * | file | may import |
 * |---|---|
 * | packages/x/src | what the map grants x |
 * | apps/x/src | every package but the test kit, and anything from outside; never another app |
 * | their tests, test/ and bench/ | also what the map grants its tests, the test kit, the reference bench, a file of tooling/, and anything from outside |
 *
 * A package is reached only by its name, never through its folder or past its index.ts.
 */
export function forbiddenImports(
  files: readonly SourceFile[],
  map: Readonly<Record<string, Layer>>,
): string[] {
  return files.flatMap((file) =>
    importedNames(file.text).flatMap((name) => {
      const reason = objection(file.path, name, map);
      return reason === undefined ? [] : [`${file.path} imports ${name}: ${reason}`];
    }),
  );
}

function objection(
  path: string,
  name: string,
  map: Readonly<Record<string, Layer>>,
): string | undefined {
  const [kind = "", folder = "", area = ""] = path.split("/");
  const shipped = area === "src" && !path.endsWith(".test.ts");
  const layer = map[folder];

  if (name.startsWith(".")) {
    const target = posix.join(posix.dirname(path), name);
    const isOwn = target.startsWith(`${kind}/${folder}/`);
    const isTooling = /^tooling\/[^/]+$/.test(target);
    return isOwn || (isTooling && !shipped) ? undefined : "leaves its package by a path";
  }
  if (name.startsWith("@ganeti-ts/")) {
    const [, wanted = "", ...inside] = name.split("/");
    const door = `./${inside.join("/")}`;
    if (inside.length > 0 && !furtherDoors[wanted]?.includes(door)) {
      return "reaches past the public door";
    }
    if (testOnly.includes(wanted)) {
      return shipped ? `${wanted} is for tests, and ships with nothing` : undefined;
    }
    if (kind === "apps") return wanted in map ? undefined : "is not a package on the map";
    if (layer === undefined) return `${folder} is not on the map`;
    if (!shipped && (wanted === folder || layer.tests?.includes(wanted))) return undefined;
    return layer.packages.includes(wanted)
      ? undefined
      : `the map does not let ${folder} use ${wanted}`;
  }
  if (kind === "apps" || !shipped) return undefined;
  if (layer === undefined) return `${folder} is not on the map`;
  const used = name.startsWith("node:") ? name : name.replace(/^(@[^/]+\/[^/]+|[^/]+).*/, "$1");
  return layer.outside.includes(used) ? undefined : `the map does not let ${folder} use ${used}`;
}

/** Module names in static, type and dynamic imports and re-exports; comments and what is put into texts do not count. */
export function importedNames(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|(?<=^|[\s;{])\/\/.*$/gm, "");
  return [...code.matchAll(/(?<![-\w"'])(?:from|import|require)\s*\(?\s*["']([^"'\n$]+)["']/g)].map(
    ([, name = ""]) => name,
  );
}
