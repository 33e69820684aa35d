// Workers as programs of their own: bundled before the tests of a file, removed after them.
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll } from "vitest";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Bundles sources named relative to this folder; the result gives the path of a file in their folder. */
export function bundled(...sources: readonly string[]): (name: string) => string {
  let folder: string;
  beforeAll(async () => {
    // Inside the package, so that the drivers are found.
    folder = mkdtempSync(here("../dist-"));
    await build({
      entryPoints: sources.map(here),
      bundle: true,
      platform: "node",
      format: "esm",
      external: ["libsql", "pg"],
      entryNames: "[name]",
      outdir: folder,
      logLevel: "error",
      tsconfig: here("../../../../tsconfig.base.json"),
    });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return (name) => join(folder, name);
}
