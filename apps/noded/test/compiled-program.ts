/** compiledProgram: compiles the daemon's separate programs for tests. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { afterAll } from "vitest";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Compiles `src/NAME.ts` into one file; returns the command line that starts it. */
export function compiledProgram(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), "noded-program-"));
  folders.push(folder);
  const outfile = join(folder, `${name}.mjs`);
  const entry = new URL(`../src/${name}.ts`, import.meta.url).pathname;
  buildSync({ entryPoints: [entry], bundle: true, platform: "node", format: "esm", outfile });
  return `${process.execPath} ${outfile}`;
}
