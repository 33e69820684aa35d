import { expect, test } from "vitest";
import { machinePlaces } from "../src/places.js";
import { root, run, trackedFiles } from "../src/repository.js";

test("no file names a folder or a registry of some machine", () => {
  const registry = run("npm", ["config", "get", "registry"], root).stdout.trim();
  const host = new URL(registry).host;
  expect(machinePlaces(trackedFiles(), host)).toEqual([]);
});

// Put together here, because this file is checked as well.
const slash = "/";
const dot = ".";

test.each([
  { text: `see ${slash}work/x.json`, found: true },
  { text: `"${slash}root"`, found: true },
  { text: `file:${slash}${slash}${slash}farm/x`, found: true },
  { text: `tarball: https:${slash}${slash}registry${dot}example${dot}org/zod.tgz`, found: true },
  { text: "tarball: https://packages.example/zod.tgz", found: true },
  { text: "network/work and ./work and ~/work", found: false },
  { text: "/workspace and /rooted", found: false },
  { text: "the registry. It is", found: false },
])("$text: $found", ({ text, found }) => {
  const places = machinePlaces([{ path: "a.txt", text: `\n${text}\n` }], "packages.example");
  expect(places).toEqual(found ? [`a.txt:2: ${text}`] : []);
});
