/**
 * Modules that a usual small request does not need. In the bundles, such a module and what only it needs is evaluated
 * when one of its functions is first called: a small request needs a third of the modules of its program, and evaluating
 * the others takes as long as answering it. A bundle that hands over everything unusual leaves most of them out.
 */
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** By importing file, the imports to defer: modules that few requests need, and of which only functions are imported. */
const deferred = {
  "apps/hail/src/command-line.ts": ["./usage.js"],
  "apps/hail/src/getopt.ts": ["./usage.js"],
  "apps/hail/src/hail/cluster-source.ts": ["../loading/read-source.js"],
  "apps/hail/src/hail/run.ts": ["./received.js"],
  "apps/hail/src/native-files.ts": ["./system-files.js"],
  "apps/hail/src/printing/tables.ts": ["./instance-map.js", "./node-table.js"],
  "packages/htools/src/allocate/allocate.ts": ["./single-search.js"],
  "packages/htools/src/allocate/pair-search.ts": ["./kept-pair-search.js"],
  "packages/htools/src/index.ts": [
    "./text/node-figures.js",
    "./text/number-reader.js",
    "./text/simulated-clusters.js",
    "./text/text-reader.js",
    "./text/text-writer.js",
  ],
  "packages/htools/src/model/load.ts": ["./instance-totals.js"],
  "packages/htools/src/requests.ts": [
    "./allocate/allocate-secondary.js",
    "./allocate/evacuation.js",
    "./allocate/multi-allocate.js",
    "./allocate/relocate.js",
    "./balance/answer-balance.js",
    "./capacity/answer-capacity.js",
  ],
  "packages/protocol/src/iallocator/decode-message.ts": [
    "./decode-quickly.js",
    "./decode-scanned.js",
  ],
};

/** Those that stay in bundles of usual requests: small, and needed for all but one type of request. */
const usual = new Set([
  "./single-search.js",
  "./allocate/allocate-secondary.js",
  "./allocate/evacuation.js",
  "./allocate/multi-allocate.js",
  "./allocate/relocate.js",
]);

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * The source of a file with its deferred imports and re-exports replaced by functions that load the module.
 *
 * @param leftOut whether modules of packages are left out, except for usual ones: their functions throw
 */
export function deferImports(path, source, leftOut = false) {
  const file = relative(root, path);
  return (deferred[file] ?? []).reduce((changed, module, at) => {
    if (leftOut && usual.has(module)) return changed;
    const statement = new RegExp(`^(import|export) \\{([^}]*)\\} from "${module}";$`, "m");
    const found = statement.exec(changed);
    if (found === null) throw new Error(`${file} does not import ${module}`);
    const [text, keyword, names] = found;
    const defining = readFileSync(join(dirname(path), module.replace(/\.js$/, ".ts")), "utf8");
    const functions = valuesOf(names).map(([name, local = name]) => {
      if (!definesFunction(defining, name)) throw new Error(`${name} of ${module} is no function`);
      const declared = `const ${local} = (...args) => load${at}().${name}(...args);`;
      return keyword === "export" ? `export ${declared}` : declared;
    });
    const isMissing = leftOut && file.startsWith("packages/");
    const load = isMissing ? missing : `loaded${at} ??= require("${module}")`;
    const loader = `let loaded${at}; const load${at} = () => (${load});`;
    const types = `${keyword} type {${names.replace(/\btype /g, "")}} from "${module}";`;
    return changed.replace(text, () => [types, loader, ...functions].join(" "));
  }, source);
}

const missing = '(() => { throw new Error("left out of this bundle"); })()';

/** Names of the imported values, each with its local name if that differs. */
const valuesOf = (names) =>
  names
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && !name.startsWith("type "))
    .map((name) => name.split(" as "));

const definesFunction = (source, name) =>
  new RegExp(
    `^export (?:async )?function\\*? ${name}\\b|^export const ${name} = (?:async )?\\(`,
    "m",
  ).test(source);
