// Size of an import as a page or program pays for it: bundled, minified and compressed.
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { root } from "./repository.js";

/**
 * Bytes after esbuild and gzip of a module with this `code`, which imports as a file of `packages/<folder>` would.
 *
 * Neighbours are read from their sources (`paths` in tsconfig.base.json), so nothing has to be built before. Node's
 * own modules and the database drivers, which are native or for servers, stay outside.
 */
export async function gzipSize(folder: string, code: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: join(root, "packages", folder), loader: "ts" },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    external: ["node:*", "libsql", "pg"],
    logLevel: "silent",
  });
  return gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length;
}

/** All that a door exports: `.` or `./sqlite` of a package. */
export const doorCode = (door: string): string =>
  `export * from "./src/${door === "." ? "index" : door.slice(2)}.js";`;
