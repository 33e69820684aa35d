// CPU profiles as tables and flame graphs, from a profile made by hand.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildSync } from "esbuild";
import { expect, test } from "vitest";
import { flameGraph, frameNames, framesOf, type Profile, sharesOf } from "../../cpu-profile.js";

const frame = (functionName: string, url = "", lineNumber = 0) => ({
  functionName,
  url,
  lineNumber,
  columnNumber: 0,
});

/** main calls walk, which calls itself and leaf; another main, called from elsewhere, calls leaf. */
const profile: Profile = {
  nodes: [
    { id: 1, callFrame: frame("(root)"), children: [2, 6] },
    { id: 2, callFrame: frame("main"), children: [3] },
    { id: 3, callFrame: frame("walk"), children: [4] },
    { id: 4, callFrame: frame("walk"), children: [5] },
    { id: 5, callFrame: frame("leaf") },
    { id: 6, callFrame: frame("main"), children: [7] },
    { id: 7, callFrame: frame("leaf<T>") },
  ],
  samples: [2, 3, 4, 5, 7, 1],
  // A sample lasts until the next one.
  timeDeltas: [0, 100, 200, 300, 400, 500],
};

const named = ({ functionName: name }: { functionName: string }) => ({
  ...{ name, area: "test", where: "" },
});

test("own time is that of the samples; the total counts recursion once", () => {
  const shares = sharesOf(framesOf(profile, named), ({ name }) => name);
  expect(Object.fromEntries(shares.map(({ name, self, total }) => [name, [self, total]]))).toEqual({
    "(root)": [0, 1500],
    main: [100, 1500],
    walk: [500, 900],
    leaf: [400, 400],
    "leaf<T>": [500, 500],
  });
  expect(shares.map(({ self }) => self)).toEqual([500, 500, 400, 100, 0]);
});

test("calls of the same function by the same stack are one frame of the flame graph", () => {
  const root = framesOf(profile, named);
  expect(root.children.map(({ name, totalMicros }) => [name, totalMicros])).toEqual([
    ["main", 1500],
  ]);
  const graph = flameGraph(root, 0);
  expect(graph.match(/<rect/g)).toHaveLength(6);
  expect(graph).toContain("leaf&#60;T&#62; (test): 33.33 %, 1 ms");
  expect(flameGraph(root, 30).match(/<rect/g)).toHaveLength(5);
});

test("frames of a bundle have the places and packages of their sources", () => {
  const folder = mkdtempSync(join(tmpdir(), "cpu-profile-"));
  try {
    const source = join(folder, "packages", "shiny", "src");
    mkdirSync(source, { recursive: true });
    const code = "\n\nexport function shine() {\n  return globalThis;\n}\n";
    writeFileSync(join(source, "shine.ts"), code);
    const outfile = join(folder, "bundle.mjs");
    const entryPoints = [join(source, "shine.ts")];
    buildSync({ entryPoints, outfile, bundle: true, format: "esm", sourcemap: true });
    const lines = buildSync({ entryPoints, bundle: true, format: "esm", write: false });
    const at = lines.outputFiles[0]?.text.split("\n").findIndex((line) => line.includes("shine("));
    const nameOf = frameNames();
    expect(nameOf(frame("shine", pathToFileURL(outfile).href, at))).toEqual({
      ...{ name: "shine", area: "shiny", where: "packages/shiny/src/shine.ts:3" },
    });
    expect(nameOf(frame("then", "node:internal/process/promises"))).toMatchObject({ area: "node" });
    expect(nameOf(frame("(garbage collector)"))).toMatchObject({ area: "(garbage collector)" });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
