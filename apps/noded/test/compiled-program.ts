/** Programs of the daemon that run on their own, compiled for tests. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Compiles `src/NAME.ts`, which imports no packages; gives the words that start it. */
export function compiledProgram(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), "noded-program-"));
  folders.push(folder);
  const home = new URL("..", import.meta.url).pathname;
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  const options = [
    ...["--ignoreConfig", "--noCheck", "--skipLibCheck", "--rootDir", "src", "--outDir", folder],
    ...["--module", "NodeNext", "--target", "ES2023", "--types", "node"],
  ];
  execFileSync(join(home, "node_modules/.bin/tsc"), [`src/${name}.ts`, ...options], { cwd: home });
  return `${process.execPath} ${join(folder, `${name}.js`)}`;
}
