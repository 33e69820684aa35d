import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { architecture } from "../src/architecture.js";
import { forbiddenImports, importedNames } from "../src/imports.js";
import { root, trackedFiles } from "../src/repository.js";

test("the repository's imports follow the map", () => {
  const sources = trackedFiles().filter(({ path }) =>
    /^(packages|apps)\/[^/]+\/(src|test|bench)\/.*\.ts$/.test(path),
  );
  expect(sources.length).toBeGreaterThan(0);
  expect(forbiddenImports(sources, architecture)).toEqual([]);
});

test("arrows on the map point upward", () => {
  const order = Object.keys(architecture);
  for (const [folder, { packages }] of Object.entries(architecture)) {
    const above = order.slice(0, order.indexOf(folder));
    expect(above, folder).toEqual(expect.arrayContaining([...packages]));
  }
});

test("every package is on the map", () => {
  expect(Object.keys(architecture)).toEqual(
    expect.arrayContaining(readdirSync(join(root, "packages"))),
  );
});

test.each([
  {
    why: "a package imports one below it",
    path: "packages/protocol/src/a.ts",
    text: 'import { Cluster } from "@ganeti-ts/htools";',
    said: /does not let protocol use htools/,
  },
  {
    why: "a type is an arrow too",
    path: "packages/query/src/a.ts",
    text: 'import type { Cluster } from "@ganeti-ts/htools";',
    said: /does not let query use htools/,
  },
  {
    why: "a re-export is an arrow too",
    path: "packages/protocol/src/a.ts",
    text: 'export * from "@ganeti-ts/query";',
    said: /does not let protocol use query/,
  },
  {
    why: "a lazy import is an arrow too",
    path: "packages/protocol/src/a.ts",
    text: 'const { load } = await import("@ganeti-ts/htools");',
    said: /does not let protocol use htools/,
  },
  {
    why: "a neighbour is entered beside its door",
    path: "packages/htools/src/a.ts",
    text: 'import { NodeName } from "@ganeti-ts/protocol/dist/ids.js";',
    said: /past the public door/,
  },
  {
    why: "a neighbour is entered by a path",
    path: "packages/htools/src/a.ts",
    text: 'import { NodeName } from "../../protocol/src/ids.js";',
    said: /leaves its package/,
  },
  {
    why: "what ships uses the tooling",
    path: "packages/htools/src/a.ts",
    text: 'import { recordIfAsked } from "../../../tooling/bench.js";',
    said: /leaves its package/,
  },
  {
    why: "a bench enters a project of the tooling",
    path: "packages/htools/bench/a.bench.ts",
    text: 'import { root } from "../../../tooling/checks/src/repository.js";',
    said: /leaves its package/,
  },
  {
    why: "the core does I/O",
    path: "packages/htools/src/a.ts",
    text: 'import { readFileSync } from "node:fs";',
    said: /does not let htools use node:fs/,
  },
  {
    why: "a third party is not granted",
    path: "packages/htools/src/a.ts",
    text: 'import { z } from "zod/mini";',
    said: /does not let htools use zod/,
  },
  {
    why: "the test kit is shipped",
    path: "apps/hail/src/a.ts",
    text: 'import { aNode } from "@ganeti-ts/testkit";',
    said: /ships with nothing/,
  },
  {
    why: "the reference bench is shipped",
    path: "packages/store/src/a.ts",
    text: 'import { bringUp } from "@ganeti-ts/reference";',
    said: /ships with nothing/,
  },
  {
    why: "an app imports an app",
    path: "apps/gnt/src/a.ts",
    text: 'import { main } from "@ganeti-ts/hail";',
    said: /not a package on the map/,
  },
  {
    why: "a package is unknown",
    path: "packages/shiny/src/a.ts",
    text: 'import { NodeName } from "@ganeti-ts/protocol";',
    said: /shiny is not on the map/,
  },
])("refused: $why", ({ path, text, said }) => {
  expect(forbiddenImports([{ path, text }], architecture)).toEqual([expect.stringMatching(said)]);
});

test.each([
  { path: "packages/htools/src/a.ts", text: 'import { NodeName } from "@ganeti-ts/protocol";' },
  { path: "packages/htools/src/a.ts", text: 'import { b } from "./b/c.js";' },
  { path: "packages/htools/src/a.test.ts", text: 'import { aNode } from "@ganeti-ts/testkit";' },
  { path: "packages/htools/test/a.test.ts", text: 'import { readFileSync } from "node:fs";' },
  { path: "packages/htools/test/a.test.ts", text: 'import "@ganeti-ts/reference";' },
  { path: "packages/htools/test/a.test.ts", text: 'import { load } from "../src/load.js";' },
  { path: "packages/htools/bench/a.ts", text: 'import "../../../tooling/bench.js";' },
  { path: "packages/protocol/src/a.ts", text: 'import { z } from "zod/mini";' },
  { path: "apps/hail/src/hail.ts", text: 'import { readFileSync } from "node:fs";' },
])("allowed: $path, $text", (file) => {
  expect(forbiddenImports([file], architecture)).toEqual([]);
});

test("imports are found over several lines, and not in comments", () => {
  const text = [
    'import {\n  a,\n  b,\n} from "one";',
    'import "two";',
    '// import { c } from "commented";',
    '/** @example import { d } from "documented"; */',
    'type E = import("three").E;',
  ].join("\n");
  expect(importedNames(text)).toEqual(["one", "two", "three"]);
});

test("the word import inside a string is not an import", () => {
  expect(importedNames('const types = ["remote-import", "delay-test", "import", "x"];')).toEqual(
    [],
  );
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is a program's text
  expect(importedNames("const text = `conversion from '${from}' to '${to}'`;")).toEqual([]);
});
