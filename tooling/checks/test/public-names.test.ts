import { expect, test } from "vitest";
import { furtherDoors, testOnly } from "../src/architecture.js";
import { publicNames, unusedNames } from "../src/public-names.js";
import { manifests, trackedFiles } from "../src/repository.js";

const files = trackedFiles().filter(({ path }) => /\.(ts|js|md)$/.test(path));
const byPath = new Map(files.map((file) => [file.path, file]));
const doors = manifests("packages")
  .filter(({ folder }) => !testOnly.includes(folder))
  .flatMap(({ folder }) =>
    ["index", ...(furtherDoors[folder] ?? []).map((door) => door.slice(2))].map(
      (door) => `packages/${folder}/src/${door}.ts`,
    ),
  );
const names = publicNames(byPath, doors);
const shown = ({ folder, name }: { folder: string; name: string }) => `${folder}: ${name}`;

test("every door exists and exports names", () => {
  expect(doors.filter((door) => !byPath.has(door))).toEqual([]);
  expect(names.length).toBeGreaterThan(700);
});

test("every public name has a docblock at its definition, where editors and .d.ts show it", () => {
  expect(names.filter(({ isDocumented }) => !isDocumented).map(shown)).toEqual([]);
});

test("every public name is used by another package, an app, a test, an example or a README", () => {
  expect(unusedNames(names, files).map(shown)).toEqual([]);
});

test("names without a docblock and without users are found", () => {
  const sources = Object.entries({
    "packages/a/src/index.ts":
      'export { first, type Form } from "./one.js";\nexport { renamed as second } from "./two.js";\nexport { loose } from "./two.js";\n',
    "packages/a/src/one.ts":
      "/** One concept per file. */\n\nexport const first = (form: Form) => form;\n/** Its argument. */\nexport interface Form {}\n",
    "packages/a/src/two.ts":
      "/** The second. */\nexport function renamed() {}\n// A remark is no docblock.\nexport const loose = 1;\n",
    "packages/b/src/index.ts": 'import { second } from "@ganeti-ts/a"; // first\nsecond();\n',
    "packages/a/README.md": "nothing",
  }).map(([path, text]) => ({ path, text }));
  const found = publicNames(new Map(sources.map((file) => [file.path, file])), [
    "packages/a/src/index.ts",
  ]);
  expect(found.map(({ name, isDocumented }) => [name, isDocumented])).toEqual([
    ["first", false],
    ["Form", true],
    ["second", true],
    ["loose", false],
  ]);
  // Form is the type of a parameter of `first`; comments of others use nothing.
  expect(unusedNames(found, sources).map(({ name }) => name)).toEqual(["first", "loose"]);
});
