import { expect, test } from "vitest";
import { architecture } from "../src/architecture.js";
import { importCircles, mutualFolders, unusedGrants } from "../src/circles.js";
import { trackedFiles } from "../src/repository.js";

const sources = trackedFiles().filter(({ path }) =>
  /^(packages|apps)\/[^/]+\/(src|test|bench)\/.*\.[tj]s$/.test(path),
);

test("no files import each other in a circle, for values or for types", () => {
  const shipped = sources.filter(
    ({ path }) => path.split("/")[2] === "src" && !path.endsWith(".test.ts"),
  );
  expect(shipped.length).toBeGreaterThan(100);
  expect(importCircles(shipped)).toEqual([]);
});

test("folders of the cluster server import in one direction", () => {
  const shipped = sources.filter(
    ({ path }) => path.startsWith("apps/rapi/src/") && !path.endsWith(".test.ts"),
  );
  expect(shipped.length).toBeGreaterThan(100);
  expect(mutualFolders(shipped)).toEqual([]);
});

test("folders of units of instances import in one direction", () => {
  const root = "packages/logical-units/src/instance/";
  const shipped = sources.filter(({ path }) => path.startsWith(root) && !path.endsWith(".test.ts"));
  expect(shipped.length).toBeGreaterThan(50);
  expect(mutualFolders(shipped, 4)).toEqual([]);
});

test("two folders that import each other by different files are found", () => {
  const files = [
    { path: "apps/a/src/one/x.ts", text: 'import { y } from "../two/y.js";' },
    { path: "apps/a/src/two/z.ts", text: 'import { w } from "../one/w.js";' },
    { path: "apps/a/src/two/y.ts", text: 'import { z } from "./z.js";\nimport "../top.js";' },
  ];
  expect(mutualFolders(files)).toEqual([
    "apps/a/src/one/x.ts imports apps/a/src/two/y.js, apps/a/src/two/z.ts imports apps/a/src/one/w.js",
  ]);
});

test("every grant of the map is used", () => {
  expect(unusedGrants(sources, architecture)).toEqual([]);
});

const file = (name: string, ...imported: readonly string[]) => ({
  path: `packages/a/src/${name}.ts`,
  text: imported.map((one) => `import type { X } from "./${one}.js";`).join("\n"),
});

test("a circle of three files is found, a shared import is none", () => {
  const files = [file("a", "b", "d"), file("b", "c", "d"), file("c", "a"), file("d")];
  expect(importCircles(files)).toEqual([
    ["packages/a/src/a.ts", "packages/a/src/b.ts", "packages/a/src/c.ts"],
  ]);
});

test("unused grants are named: of packages, of modules, of tests", () => {
  const map = {
    a: { packages: ["b", "c"], outside: ["zod", "node:fs"], tests: ["d"] },
  };
  const text = 'import * as z from "zod";\nimport { b } from "@ganeti-ts/b/further";';
  expect(unusedGrants([{ path: "packages/a/src/a.ts", text }], map)).toEqual([
    "a is granted c and does not use it",
    "a is granted node:fs and does not use it",
    "a is granted d and does not use it",
  ]);
});
