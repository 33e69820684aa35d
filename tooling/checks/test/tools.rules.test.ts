import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { root, run, tool } from "../src/repository.js";

const biome = ["check", "--error-on-warnings", "."];

test("biome finds every file formatted and free of lint", () => {
  const { status, output } = run(tool("biome"), biome, root);
  expect(status, output).toBe(0);
});

test("knip finds no unused file, export or dependency", () => {
  const { status, output } = run(tool("knip"), [], root);
  expect(status, output).toBe(0);
});

describe("in a broken copy", () => {
  let copy: string;
  beforeEach(() => {
    copy = mkdtempSync(join(tmpdir(), "ganeti-ts-checks-"));
    run("git", ["init", "--quiet"], copy);
    for (const path of ["biome.json", "knip.json", ".gitignore"]) {
      cpSync(join(root, path), join(copy, path));
    }
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    write("package.json", '{ "name": "copy", "private": true, "type": "module" }\n');
    write("pnpm-workspace.yaml", "packages: [packages/*]\n");
    write(
      "packages/shiny/package.json",
      JSON.stringify({ name: "shiny", type: "module", dependencies: {} }),
    );
    write("packages/shiny/src/index.ts", 'export { used } from "./used.js";\n');
    write("packages/shiny/src/used.ts", "export const used = 1;\n");
  });
  afterEach(() => rmSync(copy, { recursive: true }));

  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    writeFileSync(join(copy, path), text);
  };

  test.each([
    { why: "single quotes", text: "export const used = 'x';\n", said: "Formatter would" },
    { why: "a comparison by ==", text: "export const used = 1 == 2;\n", said: "noDoubleEquals" },
    {
      why: "zod with all its locales",
      text: 'import { z } from "zod";\n\nexport const used = z.int();\n',
      said: "carries every locale",
    },
    { why: "a variable nobody reads", text: "const used = 1;\n", said: "noUnusedVariables" },
  ])("biome refuses $why", ({ text, said }) => {
    write("packages/shiny/src/used.ts", text);
    const { status, output } = run(tool("biome"), biome, copy);
    expect({ status, output }).toEqual({ status: 1, output: expect.stringContaining(said) });
  });

  test("knip accepts it as long as it is whole", () => {
    expect(run(tool("knip"), [], copy)).toMatchObject({ status: 0 });
  });

  test.each([
    { why: "an unused file", path: "lonely.ts", text: "export const x = 1;\n" },
    { why: "an unused export", path: "used.ts", text: "export const used = 1, spare = 2;\n" },
    {
      why: "a package nobody declared",
      path: "used.ts",
      text: 'export { z as used } from "zod";\n',
    },
  ])("knip refuses $why", ({ path, text }) => {
    write(`packages/shiny/src/${path}`, text);
    expect(run(tool("knip"), [], copy)).toMatchObject({ status: 1 });
  });
});
