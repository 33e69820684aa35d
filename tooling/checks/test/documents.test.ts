import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  brokenLinks,
  filesNamed,
  unnamedCaches,
  wrongDefinitions,
  wrongNames,
} from "../src/documents.js";
import { manifests, root, trackedFiles } from "../src/repository.js";

const caches = readFileSync(join(root, "docs/caches.md"), "utf8");

test("every link of a document of the repository leads to a file", () => {
  const files = trackedFiles();
  const paths = files.map(({ path }) => path);
  const documents = files.filter(({ path }) => /^(docs\/.*|README|CONTRIBUTING)\.md$/.test(path));
  expect(documents.length).toBeGreaterThan(5);
  const broken = documents.flatMap((one) =>
    brokenLinks(one, paths).map((link) => `${one.path}: ${link}`),
  );
  expect(broken).toEqual([]);
});

test("the table of caches names files and tests that exist, and every source with a WeakMap", () => {
  const files = trackedFiles();
  expect(filesNamed(caches).filter(({ titles }) => titles.length > 0).length).toBeGreaterThan(40);
  expect(wrongNames(caches, files)).toEqual([]);
  expect(unnamedCaches(caches, files)).toEqual([]);
});

test("the tables of limits name constants that stand in the sources with these values", () => {
  const limits = readFileSync(join(root, "docs/limits.md"), "utf8");
  expect(limits.match(/\.ts` `/g)?.length).toBeGreaterThan(35);
  expect(wrongDefinitions(limits, trackedFiles())).toEqual([]);
});

test("a limit with another value, or in a file that does not exist, is found", () => {
  const markdown =
    "| disks | 8 | refused | `src/a.ts` `disksMax = 8` `nicsMax = 2` |\n| x | 1 | y | `src/b.ts` `z = 1` |";
  const files = [{ path: "src/a.ts", text: "const disksMax = 16;\nconst nicsMax = 2;" }];
  expect(wrongDefinitions(markdown, files)).toEqual(["src/a.ts: disksMax = 8", "src/b.ts: z = 1"]);
});

test("a link to nothing, a missing file, another title and a cache without a row are found", () => {
  const text = "[a](b.md), [c](../packages/c), [d](../d)";
  expect(brokenLinks({ path: "docs/a.md", text }, ["docs/b.md", "packages/c/x.ts"])).toEqual([
    "../d",
  ]);
  const markdown = [
    "## packages/a, packages/b",
    "| `src/kept.ts`, `src/gone.ts` | x | `test/a.test.ts`: *is new*, and *is old*; `packages/b/src/c.ts` |",
  ].join("\n");
  const files = [
    { path: "packages/a/src/kept.ts", text: "const kept = new WeakMap();" },
    { path: "packages/a/src/lost.ts", text: "const lost = new WeakMap();" },
    { path: "packages/a/test/a.test.ts", text: 'test("is new", () => {});' },
    { path: "packages/b/src/c.ts", text: "" },
  ];
  expect(wrongNames(markdown, files)).toEqual([
    "packages/a/src/gone.ts does not exist",
    "packages/a/test/a.test.ts: is old",
  ]);
  expect(unnamedCaches(markdown, files)).toEqual(["packages/a/src/lost.ts"]);
});

test("until the first release each published package has one changeset, and there are no others", () => {
  const published = (["packages", "apps"] as const).flatMap((kind) =>
    manifests(kind).filter(({ manifest }) => manifest.private !== true),
  );
  // From then on there are users to upgrade, and changes have changesets of their own.
  if (published.some(({ manifest }) => manifest.version !== "0.0.0")) return;
  const texts = trackedFiles().filter(({ path }) => /^\.changeset\/(?!README).*\.md$/.test(path));
  expect(texts.map(({ path }) => path)).toEqual(
    published.map(({ folder }) => `.changeset/first-${folder}.md`).sort(),
  );
});
