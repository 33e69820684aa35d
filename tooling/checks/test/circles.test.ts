import { expect, test } from "vitest";
import { architecture } from "../src/architecture.js";
import { importCircles, unusedGrants } from "../src/circles.js";
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
