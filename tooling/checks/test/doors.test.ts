import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { furtherDoors } from "../src/architecture.js";
import { doorFaults, type Manifest, type Surroundings } from "../src/doors.js";
import { manifests, root } from "../src/repository.js";

const project: Manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

describe.each(["packages", "apps"] as const)("%s", (kind) => {
  test.each(manifests(kind))("$folder has one public door", ({ folder, manifest }) => {
    const around = {
      furtherDoors: furtherDoors[folder] ?? [],
      hasDocs: existsSync(join(root, kind, folder, "docs")),
      project,
    };
    expect(doorFaults(kind, folder, manifest, around)).toEqual([]);
  });

  test.each(manifests(kind))("$folder explains itself in a README", ({ folder }) => {
    expect(existsSync(join(root, kind, folder, "README.md"))).toBe(true);
  });
});

test.each(manifests("packages"))(
  "the build of $folder refers to its dependencies",
  ({ folder, manifest }) => {
    const text = readFileSync(join(root, "packages", folder, "tsconfig.build.json"), "utf8");
    const { references = [] } = JSON.parse(text.replaceAll(/^\s*\/\/.*$/gm, ""));
    const named = (references as { path: string }[]).map(({ path }) => path.split("/")[1]);
    const needed = Object.keys(manifest.dependencies ?? {})
      .filter((name) => name.startsWith("@ganeti-ts/"))
      .map((name) => name.split("/")[1]);
    expect(named.sort()).toEqual(needed.sort());
  },
);

const library: Manifest = {
  name: "@ganeti-ts/htools",
  type: "module",
  license: "BSD-2-Clause",
  engines: { node: ">=20.19" },
  sideEffects: false,
  files: ["dist", "docs", "CHANGELOG.md"],
  description: "Where instances go",
  keywords: ["ganeti", "htools", "placement"],
  author: "somebody",
  homepage: "https://example.org/x/tree/main/packages/htools#readme",
  bugs: "https://example.org/x/issues",
  repository: { type: "git", url: "git+https://example.org/x.git", directory: "packages/htools" },
  exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
};
const { sideEffects: _, ...shared } = library;
const program: Manifest = {
  ...shared,
  homepage: "https://example.org/x/tree/main/apps/htools#readme",
  repository: { type: "git", url: "git+https://example.org/x.git", directory: "apps/htools" },
  bin: { hail: "dist/hail.js" },
  exports: {},
};
const around: Surroundings = {
  furtherDoors: [],
  hasDocs: true,
  project: {
    author: "somebody",
    homepage: "https://example.org/x#readme",
    bugs: "https://example.org/x/issues",
    repository: { type: "git", url: "git+https://example.org/x.git" },
  },
};

test("a good manifest has no faults", () => {
  expect(doorFaults("packages", "htools", library, around)).toEqual([]);
  expect(doorFaults("apps", "htools", program, around)).toEqual([]);
});

test.each<{ why: string; change: Manifest; said: RegExp }>([
  { why: "another name", change: { name: "@ganeti-ts/tools" }, said: /name is/ },
  { why: "CommonJS", change: { type: "commonjs" }, said: /type is/ },
  { why: "side effects", change: { sideEffects: true }, said: /sideEffects/ },
  { why: "sources shipped", change: { files: ["dist", "src"] }, said: /files are dist and docs/ },
  { why: "no docs shipped", change: { files: ["dist", "CHANGELOG.md"] }, said: /files are dist/ },
  { why: "no keywords", change: { keywords: [] }, said: /three keywords/ },
  { why: "another author", change: { author: "me" }, said: /author/ },
  { why: "another page", change: { homepage: "https://example.org" }, said: /homepage/ },
  { why: "no address for bugs", change: { bugs: "" }, said: /bugs/ },
  { why: "no directory", change: { repository: { type: "git", url: "x" } }, said: /directory/ },
  {
    why: "a back door",
    change: { exports: { ...Object(library.exports), "./score": "./dist/score.js" } },
    said: /doors besides "\." are none/,
  },
  { why: "no front door", change: { exports: {} }, said: /exports\["\."\]/ },
])("a library is refused: $why", ({ change, said }) => {
  const faults = doorFaults("packages", "htools", { ...library, ...change }, around);
  expect(faults).toEqual([expect.stringMatching(said)]);
});

test("a listed door is open", () => {
  const exports = { ...Object(library.exports), "./score": "./dist/score.js" };
  expect(
    doorFaults(
      "packages",
      "htools",
      { ...library, exports },
      { ...around, furtherDoors: ["./score"] },
    ),
  ).toEqual([]);
});

test.each<{ why: string; change: Manifest; said: RegExp }>([
  { why: "opens a module", change: { exports: Object(library.exports) }, said: /no module/ },
  { why: "has no program", change: { bin: {} }, said: /has a program/ },
  {
    why: "puts a name of Ganeti's into PATH",
    change: { bin: { hbal: "dist/hbal.js" } },
    said: /a name of Ganeti's/,
  },
  { why: "runs its sources", change: { bin: { hail: "src/hail.ts" } }, said: /programs are/ },
])("an app is refused: $why", ({ change, said }) => {
  const faults = doorFaults("apps", "htools", { ...program, ...change }, around);
  expect(faults).toEqual([expect.stringMatching(said)]);
});
