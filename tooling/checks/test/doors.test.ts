import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { furtherDoors } from "../src/architecture.js";
import { doorFaults, type Manifest } from "../src/doors.js";
import { manifests, root } from "../src/repository.js";

describe.each(["packages", "apps"] as const)("%s", (kind) => {
  test.each(manifests(kind))("$folder has one public door", ({ folder, manifest }) => {
    expect(doorFaults(kind, folder, manifest, furtherDoors[folder] ?? [])).toEqual([]);
  });

  test.each(manifests(kind))("$folder explains itself in a README", ({ folder }) => {
    expect(existsSync(join(root, kind, folder, "README.md"))).toBe(true);
  });
});

const library: Manifest = {
  name: "@ganeti-ts/htools",
  type: "module",
  license: "BSD-2-Clause",
  engines: { node: ">=20.19" },
  sideEffects: false,
  files: ["dist"],
  exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
};
const { sideEffects: _, ...shared } = library;
const program: Manifest = { ...shared, bin: { hail: "dist/hail.js" }, exports: {} };

test("a good manifest has no faults", () => {
  expect(doorFaults("packages", "htools", library, [])).toEqual([]);
  expect(doorFaults("apps", "htools", program, [])).toEqual([]);
});

test.each<{ why: string; change: Manifest; said: RegExp }>([
  { why: "another name", change: { name: "@ganeti-ts/tools" }, said: /name is/ },
  { why: "CommonJS", change: { type: "commonjs" }, said: /type is/ },
  { why: "side effects", change: { sideEffects: true }, said: /sideEffects/ },
  { why: "sources shipped", change: { files: ["dist", "src"] }, said: /files is dist/ },
  {
    why: "a back door",
    change: { exports: { ...Object(library.exports), "./score": "./dist/score.js" } },
    said: /doors besides "\." are none/,
  },
  { why: "no front door", change: { exports: {} }, said: /exports\["\."\]/ },
])("a library is refused: $why", ({ change, said }) => {
  const faults = doorFaults("packages", "htools", { ...library, ...change }, []);
  expect(faults).toEqual([expect.stringMatching(said)]);
});

test("a listed door is open", () => {
  const exports = { ...Object(library.exports), "./score": "./dist/score.js" };
  expect(doorFaults("packages", "htools", { ...library, exports }, ["./score"])).toEqual([]);
});

test.each<{ why: string; change: Manifest; said: RegExp }>([
  { why: "opens a module", change: { exports: Object(library.exports) }, said: /no module/ },
  { why: "has no program", change: { bin: {} }, said: /has a program/ },
  { why: "runs its sources", change: { bin: { hail: "src/hail.ts" } }, said: /programs are/ },
])("an app is refused: $why", ({ change, said }) => {
  const faults = doorFaults("apps", "htools", { ...program, ...change }, []);
  expect(faults).toEqual([expect.stringMatching(said)]);
});
