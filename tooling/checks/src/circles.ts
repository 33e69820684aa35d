// Circles of imports between the files of a package, and grants of the map that are not used.
import { posix } from "node:path";
import type { Layer } from "./architecture.js";
import { importedNames, type SourceFile } from "./imports.js";

/**
 * Groups of files that import each other, directly or through others, each group in alphabetical order.
 *
 * Imports of types count as well: two files that need each other's types are one concept, or lack a third.
 * Cost: O(files + imports), by Tarjan's strongly connected components.
 */
export function importCircles(files: readonly SourceFile[]): string[][] {
  const paths = new Set(files.map(({ path }) => path));
  const targetsOf = new Map(
    files.map(({ path, text }) => [
      path,
      importedNames(text).flatMap((name) => {
        if (!name.startsWith(".")) return [];
        const target = posix.join(posix.dirname(path), name).replace(/\.js$/, ".ts");
        return paths.has(target) ? [target] : [];
      }),
    ]),
  );
  return stronglyConnected(targetsOf).filter((group) => group.length > 1);
}

/** Pairs of folders below `src` (a file there is its own folder) whose files import each other, each with one arrow of either way. */
export function mutualFolders(files: readonly SourceFile[], level = 3): string[] {
  const arrows = new Map<string, string>();
  for (const { path, text } of files) {
    for (const name of importedNames(text)) {
      if (!name.startsWith(".")) continue;
      const target = posix.join(posix.dirname(path), name);
      const key = [path, target]
        .map((one) => one.split("/")[level]?.replace(/\.[jt]s$/, ""))
        .join(" ");
      arrows.set(key, `${path} imports ${target}`);
    }
  }
  return [...arrows].flatMap(([key, arrow]) => {
    const [from = "", to = ""] = key.split(" ");
    const back = arrows.get(`${to} ${from}`);
    return from < to && back !== undefined ? [`${arrow}, ${back}`] : [];
  });
}

function stronglyConnected(targetsOf: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const groups: string[][] = [];
  const visit = (node: string): number => {
    const own = order.size;
    order.set(node, own);
    open.push(node);
    let low = own;
    for (const target of targetsOf.get(node) ?? []) {
      if (!order.has(target)) low = Math.min(low, visit(target));
      else if (open.includes(target)) low = Math.min(low, order.get(target) ?? low);
    }
    lowest.set(node, low);
    if (low === own) groups.push(open.splice(open.indexOf(node)).sort());
    return low;
  };
  for (const node of targetsOf.keys()) if (!order.has(node)) visit(node);
  return groups;
}

/** Grants of the map that no file uses, one line each. `files` are all sources, tests and benchmarks of packages. */
export function unusedGrants(
  files: readonly SourceFile[],
  map: Readonly<Record<string, Layer>>,
): string[] {
  const used = new Map<string, Set<string>>();
  for (const { path, text } of files) {
    const [kind = "", folder = "", area = ""] = path.split("/");
    if (kind !== "packages") continue;
    const isShipped = area === "src" && !path.endsWith(".test.ts");
    const key = `${folder} ${isShipped ? "src" : "tests"}`;
    const names = used.get(key) ?? new Set();
    used.set(key, names);
    for (const name of importedNames(text)) names.add(rootOf(name));
  }
  return Object.entries(map).flatMap(([folder, { packages, outside, tests = [] }]) => {
    const inSources = used.get(`${folder} src`) ?? new Set();
    const inTests = used.get(`${folder} tests`) ?? new Set();
    return [
      ...packages.filter((name) => !inSources.has(`@ganeti-ts/${name}`)),
      ...outside.filter((name) => !inSources.has(name)),
      ...tests.filter((name) => !inTests.has(`@ganeti-ts/${name}`)),
    ].map((name) => `${folder} is granted ${name} and does not use it`);
  });
}

/** The package that an import names: `@ganeti-ts/store` of `@ganeti-ts/store/sqlite`; all of `node:fs/promises`. */
const rootOf = (name: string): string =>
  name.startsWith("node:") ? name : name.replace(/^(@[^/]+\/[^/]+|[^/]+).*/, "$1");
